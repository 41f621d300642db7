/// One page of a list; `next` is the cursor of the following one.
public struct Page<Item: Codable & Sendable>: Codable, Sendable {
    public var items: [Item]
    @ExplicitNull public var next: String?

    public init(items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

extension Page: Equatable where Item: Equatable {}
