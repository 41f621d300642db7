extension JSONValue {
    public init(_ value: Int) { self = .number(String(value)) }

    /// The shortest text that reads back as the same double, whole numbers without a point; null if not finite.
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
