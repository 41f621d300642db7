extension [UInt8] {
    /// Appends a cell's text so that it reads back unchanged.
    ///
    /// Characters that XML 1.0 can't represent are written as `_x0001_`, and in text that looks like such an escape the
    /// underscore is escaped (ECMA-376 part 1, 22.9.2.19, `ST_Xstring`). A carriage return is written as a character
    /// reference, which all readers support.
    mutating func appendCellText(_ text: String) {
        var text = text
        text.withUTF8 { appendCellText($0) }
    }

    mutating func appendCellText(_ source: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in source.indices {
            let byte = source[index]
            guard
                byte < 0x20 || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
                    || byte == UInt8(ascii: "_") || byte == 0xEF
            else { continue }
            let (replacement, length) = Self.escape(source, at: index)
            guard let replacement else { continue }
            append(contentsOf: source[start..<index])
            append(contentsOf: replacement.utf8)
            start = index + length
        }
        append(contentsOf: source[start...])
    }

    /// The replacement for the bytes at this index, and their number. Nil if they are written as they are.
    private static func escape(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> (String?, Int) {
        switch source[index] {
        case UInt8(ascii: "&"): return ("&amp;", 1)
        case UInt8(ascii: "<"): return ("&lt;", 1)
        case UInt8(ascii: ">"): return ("&gt;", 1)
        case 0x09, 0x0A: return (nil, 1)
        case 0x0D: return ("&#13;", 1)
        case UInt8(ascii: "_"): return (looksEscaped(source, at: index) ? "_x005F_" : nil, 1)
        case 0xEF:
            guard index + 2 < source.count, source[index + 1] == 0xBF else { return (nil, 1) }
            switch source[index + 2] {
            case 0xBE: return ("_xFFFE_", 3)
            case 0xBF: return ("_xFFFF_", 3)
            default: return (nil, 1)
            }
        case let control:
            let digits = Swift.Array("0123456789ABCDEF")
            return ("_x00\(digits[Int(control >> 4)])\(digits[Int(control & 15)])_", 1)
        }
    }

    /// Whether the output from this underscore on would look like an escape. The closing underscore may come from the
    /// escape of the next character.
    private static func looksEscaped(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let next = index + 6
        guard next < source.count, source[index + 1] == UInt8(ascii: "x"),
            source[next] == UInt8(ascii: "_") || escape(source, at: next).0?.first == "_"
        else { return false }
        return source[(index + 2)..<(index + 6)].allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Appends text of a drawing or an attribute, where the escapes of cells do not exist. Line breaks and characters
    /// that XML can't represent become spaces.
    mutating func appendPlainText(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": self += "&amp;".utf8
            case "<": self += "&lt;".utf8
            case ">": self += "&gt;".utf8
            case "\"": self += "&quot;".utf8
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": append(0x20)
            default: self += UTF8.encode(scalar)!
            }
        }
    }
}
