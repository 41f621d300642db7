import Foundation

/// A filter and an order for listing series.
public struct SeriesQuery: Sendable {
    public enum Order: String, Sendable, CaseIterable {
        /// The newest first.
        case created
        /// Series with a running round or an open form first, then by the start of the latest round.
        case current
    }

    /// The position of a page's last series in an order.
    public struct Position: Sendable {
        /// Whether one of the series' rounds was running or had an open form. False in the order `created`.
        public var isCurrent: Bool
        /// The start of the latest round, or in the order `created` the creation of the series.
        public var at: Date
        public var id: UUID

        public init(isCurrent: Bool = false, at: Date, id: UUID) {
            self.isCurrent = isCurrent
            self.at = at
            self.id = id
        }
    }

    public var inTrash: Bool
    /// Text that the title contains, ignoring case.
    public var searchText: String?
    public var order: Order
    /// The position at which the previous page ended; nil for the first page.
    public var after: Position?
    public var limit: Int

    public init(
        inTrash: Bool = false, searchText: String? = nil, order: Order = .created, after: Position? = nil,
        limit: Int = 50
    ) {
        self.inTrash = inTrash
        self.searchText = searchText
        self.order = order
        self.after = after
        self.limit = limit
    }
}
