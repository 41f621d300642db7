import Foundation

/// The file name of a download. It begins with the title of the meeting or series in the RFC 5987 parameter, and is
/// plain ASCII in the other.
struct DownloadName {
    /// Common file systems limit a name to 255 bytes.
    private static let mostBytes = 160
    private static let plain = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    /// Characters with a meaning in paths or patterns on some system.
    private static let barred: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]

    /// In ASCII, such as `summary.csv`.
    let file: String
    var title: String?

    var disposition: String {
        let plain = "attachment; filename=\"\(file)\""
        guard let title = title.flatMap(Self.safe), !title.isEmpty,
            let encoded = "\(title) - \(file)".addingPercentEncoding(withAllowedCharacters: Self.plain)
        else { return plain }
        return plain + "; filename*=UTF-8''\(encoded)"
    }

    /// Removes line breaks, invisible and direction-changing characters, and leading dots.
    private static func safe(_ title: String) -> String {
        let scalars = title.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: " "
            default: barred.contains(scalar) ? "-" : scalar
            }
        }.filter { !$0.properties.isBidiControl && $0 != "\u{FEFF}" }
        let words = String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
        var short = ""
        for character in words.drop(while: { $0 == "." }) {
            guard short.utf8.count + character.utf8.count <= mostBytes else { break }
            short.append(character)
        }
        return short.trimmingCharacters(in: .whitespaces)
    }
}
