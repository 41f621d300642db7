import Contract

/// A list that is read page by page as one walks through it; nothing is skipped or repeated while rows arrive. A walk goes
/// on through pages that are partial, empty ones too.
///
/// ```swift
/// for try await meeting in host.meetings(state: .upcoming) { … }
/// ```
public struct Pages<Item: Codable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Item

    private let fetch: @Sendable (_ cursor: String?, _ limit: Int?) async throws -> Page<Item>
    private let limit: Int?

    init(limit: Int? = nil, _ fetch: @escaping @Sendable (_ cursor: String?, _ limit: Int?) async throws -> Page<Item>)
    {
        self.limit = limit
        self.fetch = fetch
    }

    /// One page alone; its `next` is the cursor of the following one.
    ///
    /// - Parameters:
    ///   - cursor: what the page before named as its `next`.
    ///   - limit: at most so many items, 1 to 200; the service's default is 50.
    public func page(after cursor: String? = nil, limit: Int? = nil) async throws -> Page<Item> {
        try await fetch(cursor, limit ?? self.limit)
    }

    /// The same list, asked for so many items at a time.
    public func by(_ limit: Int) -> Self { Self(limit: limit, fetch) }

    /// The first items, at most so many.
    public func first(_ count: Int) async throws -> [Item] {
        var items: [Item] = []
        guard count > 0 else { return items }
        for try await item in self {
            items.append(item)
            if items.count == count { break }
        }
        return items
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let pages: Pages
        private var items: ArraySlice<Item> = []
        private var cursor: String?
        private var isLast = false

        fileprivate init(_ pages: Pages) { self.pages = pages }

        public mutating func next() async throws -> Item? {
            while items.isEmpty, !isLast {
                let page = try await pages.page(after: cursor)
                items = page.items[...]
                cursor = page.next
                isLast = page.next == nil
            }
            return items.popFirst()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
