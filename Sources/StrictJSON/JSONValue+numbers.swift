extension JSONValue {
    /// How a JSON number reads as an integer; `3.0` and `30e-1` are 3.
    public enum Integer: Sendable, Equatable {
        case exact(Int)
        case fractional
        /// Whole, but larger than an `Int`.
        case beyondRange
    }

    /// The number as an exact integer; nil for anything else.
    public var int: Int? {
        guard case .exact(let value) = integer else { return nil }
        return value
    }

    /// The number as the nearest double; nil if it is no number or not finite as one (`1e400`).
    public var double: Double? {
        guard case .number(let text) = self, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Decided on the digits, never through a double; nil if the value is no number.
    public var integer: Integer? {
        guard case .number(let text) = self else { return nil }
        if let value = Int(text) { return .exact(value) }
        return Self.integer(decimal: text)
    }

    private static func integer(decimal text: String) -> Integer {
        let (mantissa, exponentText) = split(text)
        var digits: [UInt8] = []
        var fraction = 0
        var afterPoint = false
        for byte in mantissa {
            switch byte {
            case UInt8(ascii: "."): afterPoint = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte)
                fraction += afterPoint ? 1 : 0
            default: break
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            fraction -= 1
        }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        if significant.isEmpty { return .exact(0) }
        guard let exponent = Int(exponentText) else {
            return exponentText.hasPrefix("-") ? .fractional : .beyondRange
        }
        let (zeros, overflow) = exponent.subtractingReportingOverflow(fraction)
        if overflow { return exponent < 0 ? .fractional : .beyondRange }
        if zeros < 0 { return .fractional }
        if zeros + significant.count > 19 { return .beyondRange }
        let sign = mantissa.first == UInt8(ascii: "-") ? "-" : ""
        let whole = sign + String(decoding: significant, as: UTF8.self) + String(repeating: "0", count: zeros)
        return Int(whole).map(Integer.exact) ?? .beyondRange
    }

    private static func split(_ text: String) -> (mantissa: Substring.UTF8View, exponent: String) {
        guard let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return (text[...].utf8, "0") }
        return (text[..<mark].utf8, String(text[text.index(after: mark)...]))
    }
}
