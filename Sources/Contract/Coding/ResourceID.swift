#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A UUID as the contract writes it: lower-case; read in any case.
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

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    public var description: String { uuid.uuidString.lowercased() }
}

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
