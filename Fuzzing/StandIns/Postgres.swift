/// The time in a cursor, without its encoding for the database.
public struct ExactTime: Hashable, Sendable {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }
}
