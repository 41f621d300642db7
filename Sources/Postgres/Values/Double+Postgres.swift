extension Double: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .float8 }
    public func encode(into bytes: inout [UInt8]) { bytes.append(bigEndian: bitPattern) }

    public static func decode(_ cell: Cell) throws(PostgresError) -> Double {
        let value: Double? =
            switch cell.type {
            case .float8: try cell.integer(UInt64.self).map(Double.init(bitPattern:))
            case .float4: try cell.integer(UInt32.self).map { Double(Float(bitPattern: $0)) }
            case .numeric: Numeric.text(try cell.required()).flatMap { Double($0) }
            default: nil
            }
        guard let value else {
            _ = try cell.required()
            throw cell.mismatch(Double.self)
        }
        return value
    }
}

/// Reads the binary format of `numeric`, which consists of big-endian 16-bit fields:
///
///     count    the number of digits
///     weight   signed; the first digit is multiplied by 10,000^weight
///     sign     0x0000 positive, 0x4000 negative, 0xC000 NaN, 0xD000 infinity, 0xF000 -infinity
///     scale    the number of decimals to display, which is not used here
///     digits   `count` fields, each a digit in base 10,000
enum Numeric {
    /// Returns the number in decimal notation, without trailing zeros in the fraction. Returns nil if the bytes are
    /// invalid.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 8 else { return nil }
        func field(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
        }
        let count = Int(field(0))
        let weight = Int(Int16(bitPattern: field(1)))
        let sign = field(2)
        guard bytes.count == 8 + count * 2 else { return nil }
        switch sign {
        case 0x0000, 0x4000: break
        case 0xC000: return "nan"
        case 0xD000: return "inf"
        case 0xF000: return "-inf"
        default: return nil
        }
        func digits(_ index: Int) -> String {
            let digit = (0..<count).contains(index) ? field(4 + index) : 0
            return String(String(Int(digit) + 10000).dropFirst())
        }
        let whole = (0..<max(weight + 1, 0)).map(digits).joined()
        var text = String(whole.drop { $0 == "0" })
        if text.isEmpty { text = "0" }
        var fraction = String(repeating: "0000", count: max(-weight - 1, 0))
        fraction += (min(max(weight + 1, 0), count)..<count).map(digits).joined()
        while fraction.last == "0" { fraction.removeLast() }
        return (sign == 0x4000 ? "-" : "") + text + (fraction.isEmpty ? "" : "." + fraction)
    }
}
