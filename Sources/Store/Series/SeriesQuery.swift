import Foundation

/// A filter and an order for listing series; `after` is the position where the last page ended.
public struct SeriesQuery: Sendable {
    public enum Order: String, Sendable, CaseIterable {
        /// The newest first.
        case created
        /// Series with a running round or an open form first, then by the start of the latest round.
        case current
    }

    /// The position of a page's last series in an order.
    public struct Position: Sendable {
        /// Whether one of its rounds was running or its form was open; false in the order of creation.
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
    /// Text that the title contains.
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
