import Foundation

/// The file name of a download. The encoded parameter `filename*` (RFC 5987) begins with the title of the meeting or
/// series; the parameter `filename` is plain ASCII.
struct DownloadName {
    /// The largest size of the title. Common file systems limit a complete name to 255 bytes.
    private static let maxTitleBytes = 160
    private static let unencoded = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    /// Characters with a meaning in paths or patterns on some systems.
    private static let reserved: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]

    /// The name of the file in ASCII, such as `summary.csv`.
    let file: String
    var title: String?

    var disposition: String {
        let plain = "attachment; filename=\"\(file)\""
        guard let title = title.flatMap(Self.sanitized), !title.isEmpty,
            let encoded = "\(title) - \(file)".addingPercentEncoding(withAllowedCharacters: Self.unencoded)
        else { return plain }
        return plain + "; filename*=UTF-8''\(encoded)"
    }

    /// Replaces control characters, line breaks, and unassigned and private characters with spaces, and reserved
    /// characters with `-`. Removes bidirectional controls, byte order marks and leading dots, collapses spaces, and
    /// shortens the title to `maxTitleBytes`.
    private static func sanitized(_ title: String) -> String {
        let scalars = title.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: " "
            default: reserved.contains(scalar) ? "-" : scalar
            }
        }.filter { !$0.properties.isBidiControl && $0 != "\u{FEFF}" }
        let collapsed = String(String.UnicodeScalarView(scalars)).split(separator: " ").joined(separator: " ")
        var short = ""
        for character in collapsed.drop(while: { $0 == "." }) {
            guard short.utf8.count + character.utf8.count <= maxTitleBytes else { break }
            short.append(character)
        }
        return short.trimmingCharacters(in: .whitespaces)
    }
}
