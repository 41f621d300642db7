/// One page of a list; `next` is the cursor of the following one.
public struct Page<Item: Codable & Sendable>: Codable, Sendable {
    public var items: [Item]
    @ExplicitNull public var next: String?
    /// Of texts alone: whether the service's time was over before the page was full. Then it has few items or none though
    /// more may follow, and the following page goes on where this one ended.
    public var partial: Bool?

    public init(items: [Item], next: String? = nil, partial: Bool? = nil) {
        self.items = items
        self.next = next
        self.partial = partial
    }
}

extension Page: Equatable where Item: Equatable {}
