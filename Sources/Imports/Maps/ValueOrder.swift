/// The order of options and rounds that are derived from a file.
enum ValueOrder {
    /// The indices of the values, sorted as numbers if all are decimal numbers, otherwise by code point.
    static func sorted(_ values: [String]) -> [Int] {
        let numbers = values.compactMap(number)
        let areNumbers = numbers.count == values.count
        return values.indices.sorted { left, right in
            if areNumbers, numbers[left] != numbers[right] { return numbers[left] < numbers[right] }
            return values[left].unicodeScalars.lexicographicallyPrecedes(values[right].unicodeScalars)
        }
    }

    /// Parses a plain decimal number. Other texts that `Double` accepts (`nan`, `0x1p3`, `inf`) are not numbers here.
    static func number(_ text: String) -> Double? {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard isPlain, let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
