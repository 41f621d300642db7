/// A JSON value that preserves the order of members and the text of numbers.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The text of a number, so that integers and decimals don't lose digits.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    public struct Member: Sendable, Equatable {
        public var name: String
        public var value: JSONValue

        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }
}

extension JSONValue {
    public init(_ value: Int) { self = .number(String(value)) }

    /// A text that parses to the same double, with as few digits as possible. Whole numbers below 2⁵³ have neither a
    /// point nor an exponent. Null if not finite.
    public init(_ value: Double) {
        guard value.isFinite else {
            self = .null
            return
        }
        if let whole = Int(exactly: value), whole.magnitude < 1 << 53 {
            self = .number(String(whole))
        } else {
            self = .number(value.description)
        }
    }

    public init(_ value: Double?) { self = value.map { JSONValue($0) } ?? .null }
    public init(_ value: Int?) { self = value.map { JSONValue($0) } ?? .null }
    public init(_ value: String?) { self = value.map { .string($0) } ?? .null }

    public var isNull: Bool { self == .null }

    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    public var array: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    public var members: [Member]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    public subscript(name: String) -> JSONValue? {
        members?.first { $0.name == name }?.value
    }

    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

extension JSONValue {
    /// A JSON number as an integer. `3.0` and `30e-1` are 3.
    public enum Integer: Sendable, Equatable {
        case exact(Int)
        case fractional
        /// A whole number that does not fit into `Int`.
        case beyondRange
    }

    /// The number as an exact integer, or nil.
    public var int: Int? {
        guard case .exact(let value) = integer else { return nil }
        return value
    }

    /// The number as the nearest double. Nil if it is not a number or overflows (`1e400`).
    public var double: Double? {
        guard case .number(let text) = self, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// The number as an integer, computed from its digits and never through a double. Nil if the value is not a number.
    public var integer: Integer? {
        guard case .number(let text) = self else { return nil }
        if let value = Int(text) { return .exact(value) }
        return Self.integer(decimal: text)
    }

    private static func integer(decimal text: String) -> Integer {
        let (mantissa, exponentText) = split(text)
        var digits: [UInt8] = []
        var decimalPlaces = 0
        var isAfterPoint = false
        for byte in mantissa {
            switch byte {
            case UInt8(ascii: "."): isAfterPoint = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits.append(byte)
                decimalPlaces += isAfterPoint ? 1 : 0
            default: break
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            decimalPlaces -= 1
        }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        if significant.isEmpty { return .exact(0) }
        guard let exponent = Int(exponentText) else {
            return exponentText.hasPrefix("-") ? .fractional : .beyondRange
        }
        let (zeros, overflow) = exponent.subtractingReportingOverflow(decimalPlaces)
        if overflow { return exponent < 0 ? .fractional : .beyondRange }
        if zeros < 0 { return .fractional }
        if zeros > 19 - significant.count { return .beyondRange }
        let sign = mantissa.first == UInt8(ascii: "-") ? "-" : ""
        let whole = sign + String(decoding: significant, as: UTF8.self) + String(repeating: "0", count: zeros)
        return Int(whole).map(Integer.exact) ?? .beyondRange
    }

    private static func split(_ text: String) -> (mantissa: Substring.UTF8View, exponent: String) {
        guard let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return (text[...].utf8, "0") }
        return (text[..<mark].utf8, String(text[text.index(after: mark)...]))
    }
}

extension JSONValue {
    /// Parses one JSON text strictly.
    ///
    /// Beyond RFC 8259 it rejects duplicate member names (after unescaping), a byte order mark, lone surrogate escapes,
    /// invalid UTF-8, nesting deeper than `maxDepth`, and more values than `maxValues`. Each value takes at least 24
    /// bytes in memory, although it may take two in the text.
    public static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, maxDepth: Int = 32, maxValues: Int = .max
    ) throws(Fault) -> JSONValue {
        var parser = JSONParser(bytes, maxDepth: maxDepth, maxValues: maxValues)
        do {
            return try parser.parseDocument()
        } catch {
            throw error.fault
        }
    }

    public static func parse(
        _ bytes: some Collection<UInt8>, maxDepth: Int = 32, maxValues: Int = .max
    ) throws(Fault) -> JSONValue {
        let result = bytes.withContiguousStorageIfAvailable { read($0, maxDepth, maxValues) }
        return try (result ?? Array(bytes).withUnsafeBufferPointer { read($0, maxDepth, maxValues) }).get()
    }

    public static func parse(
        _ text: String, maxDepth: Int = 32, maxValues: Int = .max
    ) throws(Fault) -> JSONValue {
        try parse(text.utf8, maxDepth: maxDepth, maxValues: maxValues)
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ maxDepth: Int, _ maxValues: Int
    ) -> Result<JSONValue, Fault> {
        do {
            return .success(try parse(bytes, maxDepth: maxDepth, maxValues: maxValues))
        } catch {
            return .failure(error)
        }
    }
}
