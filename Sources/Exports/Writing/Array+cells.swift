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
            let whole = exponent + 1
            append(contentsOf: digits.prefix(whole))
            append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(0, whole - digits.count)))
            if digits.count > whole {
                append(UInt8(ascii: "."))
                append(contentsOf: digits.dropFirst(whole))
            }
        }
    }
}
