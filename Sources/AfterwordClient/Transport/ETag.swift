/// The version of a resource, as sent by the service.
public struct ETag: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ value: String) {
        description = value
    }

    /// Matches any version: the change overwrites changes by others.
    public static let any = ETag("*")
}

/// A value with the tag of its version. A later change sends the tag, so that the service refuses it if the resource
/// was changed in the meantime.
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
