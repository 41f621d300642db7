/// One column of a table: a stable name for programs, a title for people.
public struct Column: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        case text
        /// A UUID, for programs.
        case identifier
        case integer
        case real
        case instant
        case date
        case flag
    }

    public var name: String
    public var title: String
    public var kind: Kind

    public init(_ name: String, _ title: String, _ kind: Kind) {
        self.name = name
        self.title = title
        self.kind = kind
    }
}
