import Foundation

/// Which series to list; `after` goes on where a page ended.
public struct SeriesQuery: Sendable {
    /// The place of a page's last series in the order newest first.
    public struct Position: Sendable {
        public var createdAt: Date
        public var id: UUID

        public init(createdAt: Date, id: UUID) {
            self.createdAt = createdAt
            self.id = id
        }
    }

    public var inTrash: Bool
    /// Words in the title.
    public var words: String?
    public var after: Position?
    public var limit: Int

    public init(inTrash: Bool = false, words: String? = nil, after: Position? = nil, limit: Int = 50) {
        self.inTrash = inTrash
        self.words = words
        self.after = after
        self.limit = limit
    }
}
