import Contract

/// A list that is fetched page by page during iteration. Items that are added in the meantime cause no gaps or
/// duplicates. Iteration continues after pages that are partial or empty.
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

    /// Fetches one page. Its `next` is the cursor of the next page.
    ///
    /// - Parameters:
    ///   - cursor: The `next` of the previous page.
    ///   - limit: The page size, from 1 to 200. The service's default is 50.
    public func page(after cursor: String? = nil, limit: Int? = nil) async throws -> Page<Item> {
        try await fetch(cursor, limit ?? self.limit)
    }

    /// Returns the same list with this page size.
    public func pageSize(_ limit: Int) -> Self { Self(limit: limit, fetch) }

    /// The first items, at most `count`.
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
