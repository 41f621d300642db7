/// A change to an optional field: unchanged, a new value, or removed.
///
/// `.unchanged` is left out of the body, `.remove` is encoded as null.
public enum Edit<Value: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
    case unchanged
    case remove
    case set(Value)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self = container.decodeNil() ? .remove : .set(try container.decode(Value.self))
    }

    /// Outside a keyed container, `.unchanged` has no encoding of its own and is encoded as null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if case .set(let value) = self { try container.encode(value) } else { try container.encodeNil() }
    }
}

extension Edit: ExpressibleByUnicodeScalarLiteral where Value == String {}
extension Edit: ExpressibleByExtendedGraphemeClusterLiteral where Value == String {}

extension Edit: ExpressibleByStringLiteral where Value == String {
    public init(stringLiteral value: String) {
        self = .set(value)
    }
}

extension Edit: ExpressibleByIntegerLiteral where Value == Int {
    public init(integerLiteral value: Int) {
        self = .set(value)
    }
}

extension KeyedDecodingContainer {
    /// Called by synthesized decoders. A missing key decodes as `.unchanged`.
    public func decode<Value>(_ type: Edit<Value>.Type, forKey key: Key) throws -> Edit<Value> {
        guard contains(key) else { return .unchanged }
        return try decodeNil(forKey: key) ? .remove : .set(decode(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Called by synthesized encoders. `.unchanged` is left out.
    public mutating func encode<Value>(_ edit: Edit<Value>, forKey key: Key) throws {
        switch edit {
        case .unchanged: break
        case .remove: try encodeNil(forKey: key)
        case .set(let value): try encode(value, forKey: key)
        }
    }
}
