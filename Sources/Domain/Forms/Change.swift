import StrictJSON

/// What an edit says of a member that may be empty: nothing at all, or a new value, which null empties.
public enum Change<Value: Sendable & Equatable>: Sendable, Equatable {
    case unchanged
    case to(Value?)

    public func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .to(let new): new
        }
    }
}

extension ObjectReader {
    /// A member read by `read`, which also judges it; null empties, missing changes nothing.
    func change<Value: Sendable & Equatable>(_ name: String, _ read: (String) -> Value?) -> Change<Value> {
        if isNull(name) { return .to(nil) }
        guard has(name), let value = read(name) else { return .unchanged }
        return .to(value)
    }
}
