/// An optional field that only some bodies have. It is left out where it does not apply, and null where it applies but
/// has no value.
///
/// A field with a value is always applicable. To encode a field without a value as null, set
/// `$field.isApplicable = true`.
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
        self.init(try Optional<Value>(from: decoder), isApplicable: true)
    }

    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension WhereApplicable: Equatable where Value: Equatable {
    /// Whether the values are equal. A field that is null equals one that is left out.
    public static func == (left: Self, right: Self) -> Bool { left.wrappedValue == right.wrappedValue }
}

extension KeyedDecodingContainer {
    /// Called by synthesized decoders. A missing field does not apply.
    public func decode<Value>(_ type: WhereApplicable<Value>.Type, forKey key: Key) throws -> WhereApplicable<Value> {
        try decodeIfPresent(type, forKey: key) ?? WhereApplicable(nil, isApplicable: contains(key))
    }
}

extension KeyedEncodingContainer {
    /// Called by synthesized encoders. A field that does not apply is left out.
    public mutating func encode<Value>(_ field: WhereApplicable<Value>, forKey key: Key) throws {
        guard field.isApplicable else { return }
        if let value = field.wrappedValue { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }
}
