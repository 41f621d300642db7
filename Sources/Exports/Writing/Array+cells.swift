extension [UInt8] {
    /// Appends a quoted CSV field with doubled quotes and, if `guarded`, a guard against formulas.
    mutating func appendCSV(_ text: String, guarded: Bool) {
        var text = text
        text.withUTF8 { source in
            append(UInt8(ascii: "\""))
            if guarded && FormulaGuard.guards(source) { append(UInt8(ascii: "'")) }
            var start = 0
            for index in source.indices where source[index] == UInt8(ascii: "\"") {
                append(contentsOf: source[start...index])
                start = index
            }
            append(contentsOf: source[start...])
            append(UInt8(ascii: "\""))
        }
    }

    mutating func appendDecimal(_ value: Int) { append(contentsOf: String(value).utf8) }

    /// Appends the shortest decimal that parses to the same number, without `.0`, and without an exponent from 1e-7 up
    /// to 1e21. Appends nothing if the value is not finite.
    mutating func appendReal(_ value: Double) {
        guard value.isFinite else { return }
        if let whole = Int(exactly: value), abs(whole) < 1 << 53 { return appendDecimal(whole) }
        let text = value.description
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "e")), let exponent = Int(text[mark...].dropFirst()),
            (-7..<21).contains(exponent)
        else {
            let plain = text.hasSuffix(".0") ? text.dropLast(2) : text[...]
            return append(contentsOf: plain.utf8)
        }
        if value < 0 { append(UInt8(ascii: "-")) }
        let digits = text[..<mark].utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
        if exponent < 0 {
            append(contentsOf: "0.".utf8)
            append(contentsOf: repeatElement(UInt8(ascii: "0"), count: -exponent - 1))
            append(contentsOf: digits)
        } else {
            let wholeDigits = exponent + 1
            append(contentsOf: digits.prefix(wholeDigits))
            append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(0, wholeDigits - digits.count)))
            if digits.count > wholeDigits {
                append(UInt8(ascii: "."))
                append(contentsOf: digits.dropFirst(wholeDigits))
            }
        }
    }

    /// Appends the decoded contents of a JSON string, with `quote` for each quotation mark in it. Returns false if it
    /// has an escape that PostgreSQL doesn't write.
    mutating func append(unescaping text: UnsafeBufferPointer<UInt8>, quote: StaticString) -> Bool {
        var remaining = text[...]
        while let escape = remaining.firstIndex(of: UInt8(ascii: "\\")) {
            append(contentsOf: remaining[..<escape])
            guard escape + 1 < remaining.endIndex else { return false }
            var length = 2
            switch remaining[escape + 1] {
            case UInt8(ascii: "\""):
                append(contentsOf: UnsafeBufferPointer(start: quote.utf8Start, count: quote.utf8CodeUnitCount))
            case UInt8(ascii: "\\"): append(UInt8(ascii: "\\"))
            case UInt8(ascii: "b"): append(0x08)
            case UInt8(ascii: "f"): append(0x0C)
            case UInt8(ascii: "n"): append(0x0A)
            case UInt8(ascii: "r"): append(0x0D)
            case UInt8(ascii: "t"): append(0x09)
            case UInt8(ascii: "u"):
                // PostgreSQL escapes only control characters by their number.
                length = 6
                let digits = String(decoding: remaining[escape...].prefix(length).dropFirst(2), as: UTF8.self)
                guard digits.utf8.count == 4, let code = UInt8(digits, radix: 16), code < 0x20 else { return false }
                append(code)
            default: return false
            }
            remaining = remaining[(escape + length)...]
        }
        append(contentsOf: remaining)
        return true
    }
}
