import Foundation

/// A UUID. It is encoded in lower case and decoded in any case.
public struct ResourceID: Sendable, Hashable, Codable, CustomStringConvertible {
    public let uuid: UUID

    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    public init?(_ text: String) {
        guard let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    public init(from decoder: any Decoder) throws {
        uuid = try decoder.singleValueContainer().decode(UUID.self)
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }

    public var description: String { uuid.uuidString.lowercased() }
}

/// One page of a list. `next` is the cursor of the next page.
public struct Page<Item: Codable & Sendable>: Codable, Sendable {
    public var items: [Item]
    @ExplicitNull public var next: String?
    /// Lists of texts only: whether the service stopped at its limit of time or bytes before the page was full. The
    /// page may then be short or empty although more items follow at `next`.
    public var partial: Bool?

    public init(items: [Item], next: String? = nil, partial: Bool? = nil) {
        self.items = items
        self.next = next
        self.partial = partial
    }
}

extension Page: Equatable where Item: Equatable {}
