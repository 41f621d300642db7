/// An optional field that only some bodies have: left out where it does not apply, null where it applies and is empty.
///
/// A field that has a value applies. `$field.isApplicable = true` makes an empty one null.
@propertyWrapper
public struct WhereApplicable<Value: Codable & Sendable>: Codable, Sendable {
    public var wrappedValue: Value? {
        didSet { if wrappedValue != nil { isApplicable = true } }
    }
    public var isApplicable: Bool

    public var projectedValue: Self {
        get { self }
        set { self = newValue }
    }

    public init(wrappedValue: Value?) {
        self.init(wrappedValue, isApplicable: false)
    }

    public init(_ value: Value?, isApplicable: Bool) {
        wrappedValue = value
        self.isApplicable = isApplicable || value != nil
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(container.decodeNil() ? nil : try container.decode(Value.self), isApplicable: true)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension WhereApplicable: Equatable where Value: Equatable {
    /// Whether the values are equal; a field that is null equals one that is left out.
    public static func == (left: Self, right: Self) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension KeyedDecodingContainer {
    /// What the synthesized decoders call: a missing field does not apply.
    public func decode<Value>(_ type: WhereApplicable<Value>.Type, forKey key: Key) throws -> WhereApplicable<Value> {
        try decodeIfPresent(type, forKey: key) ?? WhereApplicable(nil, isApplicable: contains(key))
    }
}

extension KeyedEncodingContainer {
    /// What the synthesized encoders call: a field that does not apply is left out.
    public mutating func encode<Value>(_ field: WhereApplicable<Value>, forKey key: Key) throws {
        guard field.isApplicable else { return }
        if let value = field.wrappedValue { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }
}
