import StrictJSON

/// An edit of a member that may be empty: absent, or a new value, which null clears.
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
    /// Reads a member with `read`, which also validates it; null clears it, an absent member changes nothing.
    func change<Value: Sendable & Equatable>(_ name: String, _ read: (String) -> Value?) -> Change<Value> {
        if isNull(name) { return .to(nil) }
        guard has(name), let value = read(name) else { return .unchanged }
        return .to(value)
    }
}
