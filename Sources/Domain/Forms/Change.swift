import StrictJSON

/// A change of an optional field: none, or a new value. A new value of nil clears the field.
public enum Change<Value: Sendable & Equatable>: Sendable, Equatable {
    case unchanged
    case set(Value?)

    public func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .set(let new): new
        }
    }
}

extension ObjectReader {
    /// Reads a member with `read`, which also validates it. Null clears the field, and a missing member leaves it
    /// unchanged.
    func change<Value: Sendable & Equatable>(_ name: String, _ read: (String) -> Value?) -> Change<Value> {
        if isNull(name) { return .set(nil) }
        guard has(name), let value = read(name) else { return .unchanged }
        return .set(value)
    }
}
