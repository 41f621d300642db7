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
