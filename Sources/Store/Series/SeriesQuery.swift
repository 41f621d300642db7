import Foundation

/// Which series to list, and in which order; `after` goes on where a page ended.
public struct SeriesQuery: Sendable {
    public enum Order: String, Sendable, CaseIterable {
        /// The newest first.
        case created
        /// Those with a round that runs or a form that is open first, then by the start of the latest round.
        case current
    }

    /// The place of a page's last series in an order.
    public struct Position: Sendable {
        /// Whether a round of it was on; false in the order of creation.
        public var isCurrent: Bool
        public var at: Date
        public var id: UUID

        public init(isCurrent: Bool = false, at: Date, id: UUID) {
            self.isCurrent = isCurrent
            self.at = at
            self.id = id
        }
    }

    public var inTrash: Bool
    /// Words in the title.
    public var words: String?
    public var order: Order
    public var after: Position?
    public var limit: Int

    public init(
        inTrash: Bool = false, words: String? = nil, order: Order = .created, after: Position? = nil, limit: Int = 50
    ) {
        self.inTrash = inTrash
        self.words = words
        self.order = order
        self.after = after
        self.limit = limit
    }
}
