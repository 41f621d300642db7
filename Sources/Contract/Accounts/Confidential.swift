/// A secret field. It is encoded like any other field, but its value does not appear when a body is printed or dumped.
@propertyWrapper
public struct Confidential<Value: Codable & Sendable>: Codable, Sendable {
    public var wrappedValue: Value

    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension Confidential: Equatable where Value: Equatable {}

extension Confidential: CustomStringConvertible, CustomReflectable {
    public var description: String { "not shown" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension KeyedDecodingContainer {
    /// Called by synthesized decoders. A missing key decodes as nil.
    public func decode<Value>(_ type: Confidential<Value?>.Type, forKey key: Key) throws -> Confidential<Value?> {
        Confidential(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}

extension KeyedEncodingContainer {
    /// Called by synthesized encoders. Nil is left out.
    public mutating func encode<Value>(_ value: Confidential<Value?>, forKey key: Key) throws {
        try encodeIfPresent(value.wrappedValue, forKey: key)
    }
}
