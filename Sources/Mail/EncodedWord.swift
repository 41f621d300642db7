import Foundation

/// Encodes texts in headers (RFC 2047).
enum EncodedWord {
    /// The largest number of bytes, in whole characters, that fit into an encoded word of 75 characters.
    private static let longestPart = 45

    /// Returns short printable ASCII that does not look like an encoded word unchanged, and everything else as folded
    /// encoded words. Control characters and line breaks become spaces.
    ///
    /// - Parameter column: The number of characters before the text on the first line, which are those of the header's
    ///   name.
    static func header(_ text: String, after column: Int) -> String {
        let line = oneLine(text)
        let isPlain = line.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        if isPlain, line.utf8.count + column <= 76, !line.contains("=?") { return line }
        var words: [String] = []
        var part = ""
        for scalar in line.unicodeScalars {
            if part.utf8.count + UTF8.width(scalar) > longestPart {
                words.append(part)
                part = ""
            }
            part.unicodeScalars.append(scalar)
        }
        words.append(part)
        return words.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\n ")
    }

    static func oneLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}
