/// Encodes bodies (RFC 2045, section 6.7) in ASCII lines of at most 76 characters.
enum QuotedPrintable {
    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let maximumLineLength = 76

    /// - Parameter text: Text whose lines end in LF.
    static func encode(_ text: String) -> String {
        var output: [UInt8] = []
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 { output.append(UInt8(ascii: "\n")) }
            append(line, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func append(_ line: Substring.UTF8View, to output: inout [UInt8]) {
        var width = 0
        for index in line.indices {
            let byte = line[index]
            let isLast = line.index(after: index) == line.endIndex
            let isBlank = byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
            let isLiteral = isBlank ? !isLast : (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "=")
            let piece = isLiteral ? [byte] : [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            // Leaves space for the `=` of a soft line break.
            if width + piece.count > maximumLineLength - 1 {
                output += Array("=\n".utf8)
                width = 0
            }
            output += piece
            width += piece.count
        }
    }
}
