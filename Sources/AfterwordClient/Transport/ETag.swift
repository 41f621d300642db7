/// The mark of one state of something, as the service gave it.
public struct ETag: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ value: String) {
        description = value
    }

    /// Whatever the state is now: the change overwrites what others changed meanwhile.
    public static let any = ETag("*")
}
