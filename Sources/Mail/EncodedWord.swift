import Foundation

/// Encodes texts in headers (RFC 2047).
enum EncodedWord {
    /// The maximum length of a line that contains an encoded word.
    private static let maxLineLength = 76

    /// Returns the text unchanged if it is short, printable ASCII that does not look like an encoded word. Otherwise
    /// returns it as folded encoded words. Control characters and line breaks become spaces.
    ///
    /// - Parameter column: The length of the header's name, with the colon and the space.
    static func header(_ text: String, after column: Int) -> String {
        let line = oneLine(text)
        let isPlain = line.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        if isPlain, line.utf8.count + column <= maxLineLength, !line.contains("=?") { return line }
        var words: [String] = []
        var part = ""
        var maxBytes = Self.maxBytes(after: column)
        for scalar in line.unicodeScalars {
            if part.utf8.count + UTF8.width(scalar) > maxBytes {
                words.append(part)
                part = ""
                // A folded line begins with a space.
                maxBytes = Self.maxBytes(after: 1)
            }
            part.unicodeScalars.append(scalar)
        }
        words.append(part)
        return words.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\n ")
    }

    /// The maximum number of bytes in an encoded word at this column. Base64 turns three bytes into four characters.
    private static func maxBytes(after column: Int) -> Int {
        (maxLineLength - column - "=?utf-8?B?".count - "?=".count) / 4 * 3
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
