/// Estimates the widths of texts without a font. The estimates are upper bounds for common fonts.
///
/// They were measured with DejaVu Sans, one of the widest.
enum TextFit {
    /// The width in pixels at a font size.
    static func width(_ text: some Sequence<Character>, size: Double) -> Double {
        text.reduce(0) { $0 + em($1) } * size
    }

    /// Breaks a text into lines that fit, preferably at spaces, after hyphens and between East Asian characters. If the
    /// remaining text does not fit on the last line, that line ends with `…`.
    static func lines(_ text: String, within width: Double, size: Double, atMost maxLines: Int) -> [String] {
        var remaining = Array(text)[...]
        var lines: [String] = []
        while !remaining.isEmpty {
            let fitting = count(of: remaining, within: width / size)
            if fitting == remaining.count {
                lines.append(String(remaining))
                break
            }
            if lines.count == maxLines - 1 {
                let head = remaining.prefix(max(1, count(of: remaining, within: width / size - 1)))
                lines.append(trimmed(head) + "…")
                break
            }
            let end = breakPoint(remaining, atMost: max(1, fitting))
            lines.append(trimmed(remaining.prefix(end)))
            remaining = remaining.dropFirst(end).drop { $0 == " " }
        }
        return lines
    }

    /// The largest font size, between the two limits, at which a text fits. The lower limit if no size fits.
    static func size(of text: String, within width: Double, upTo maximum: Double, atLeast minimum: Double) -> Double {
        max(minimum, min(maximum, (10 * width / max(Self.width(text, size: 1), 0.1)).rounded(.down) / 10))
    }

    /// Whether the first character with a direction is written from right to left.
    static func isRightToLeft(_ text: String) -> Bool {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: return true
            default: if scalar.properties.isAlphabetic { return false }
            }
        }
        return false
    }

    /// The number of leading characters that fit into a width in em.
    private static func count(of characters: ArraySlice<Character>, within ems: Double) -> Int {
        var sum = 0.0
        var count = 0
        for character in characters {
            sum += em(character)
            if sum > ems { break }
            count += 1
        }
        return count
    }

    /// The best position for a line break within `limit` characters.
    private static func breakPoint(_ characters: ArraySlice<Character>, atMost limit: Int) -> Int {
        let start = characters.startIndex
        for count in stride(from: limit, through: 1, by: -1) where start + count < characters.endIndex {
            let (before, after) = (characters[start + count - 1], characters[start + count])
            // A hyphen before a digit may be a minus sign.
            let isHyphen = before == "-" && !after.isNumber
            if before == " " || after == " " || isHyphen || isEastAsian(before) || isEastAsian(after) {
                return count
            }
        }
        return limit
    }

    private static func trimmed(_ characters: ArraySlice<Character>) -> String {
        var characters = characters
        while characters.last == " " { characters.removeLast() }
        return String(characters)
    }

    private static func isEastAsian(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        return isWide(scalar.value)
    }

    /// The width in em.
    private static func em(_ character: Character) -> Double {
        character.unicodeScalars.reduce(0) { $0 + em($1) }
    }

    private static func em(_ scalar: Unicode.Scalar) -> Double {
        switch scalar {
        case " ", "i", "j", "l", "I", "|", ".", ",", ":", ";", "'", "!": return 0.34
        case "f", "t", "r", "(", ")", "[", "]", "-", "\"", "/": return 0.44
        case "m", "w", "M", "W", "@", "%", "&": return 0.98
        case "A"..."Z": return 0.76
        case "\u{21}"..."\u{7e}": return 0.64
        default: break
        }
        if isWide(scalar.value) { return 1.02 }
        if (0x1F000...0x1FAFF).contains(scalar.value) { return 1.3 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        case .uppercaseLetter: return 0.8
        default: return 0.68
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
