/// The mark of one state of something, as the service gave it.
public struct ETag: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ value: String) {
        description = value
    }

    /// Whatever the state is now: the change overwrites what others changed meanwhile.
    public static let any = ETag("*")
}

/// A value with the mark of its state, which a later change sends along, so that it is refused if somebody else was
/// faster.
@dynamicMemberLookup
public struct Tagged<Value: Sendable>: Sendable {
    public var value: Value
    public let tag: ETag

    public init(_ value: Value, tag: ETag) {
        self.value = value
        self.tag = tag
    }

    public subscript<Member>(dynamicMember path: KeyPath<Value, Member>) -> Member { value[keyPath: path] }

    public subscript<Member>(dynamicMember path: WritableKeyPath<Value, Member>) -> Member {
        get { value[keyPath: path] }
        set { value[keyPath: path] = newValue }
    }
}

extension Tagged: Equatable where Value: Equatable {}
