extension [UInt8] {
    /// A cell's text, so that it is read back as it was.
    ///
    /// What XML 1.0 cannot hold is written `_x0001_`, and a text that looks like that has its underscore written so:
    /// ECMA-376 part 1, 22.9.2.19 (`ST_Xstring`). A carriage return could be written both ways; as a character
    /// reference every reader knows it.
    mutating func appendCellText(_ text: String) {
        var text = text
        text.withUTF8 { source in
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
    }

    /// What stands for the bytes at this place, and how many these are; nil if they stand for themselves.
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

    /// By the text as it is written: what follows may begin with an underscore only there.
    private static func looksEscaped(_ source: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        let next = index + 6
        guard next < source.count, source[index + 1] == UInt8(ascii: "x"),
            source[next] == UInt8(ascii: "_") || escape(source, at: next).0?.first == "_"
        else { return false }
        return source[(index + 2)..<(index + 6)].allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// A text of a drawing or an attribute, which know no escapes: what XML cannot hold, and breaks of lines, are spaces.
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
