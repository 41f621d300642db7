#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where to tell what happens.
public struct WebhookRequest: Codable, Sendable, Equatable {
    public var url: String
    /// Some of `results.changed`, `form.opened`, `form.closed`, `meeting.created`, `attendee.checked-in`.
    public var events: [String]

    public init(url: String, events: [String]) {
        self.url = url
        self.events = events
    }
}

/// An account's webhook, and how it goes.
public struct Webhook: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var url: String
    public var events: [String]
    public var createdAt: Date
    @ExplicitNull public var lastSuccessAt: Date?
    /// Whether the last try failed.
    public var failing: Bool
    @ExplicitNull public var failingSince: Date?
    /// What deliveries are signed with, `whsec_…`; only in the answer that made it.
    @Confidential public var secret: String?

    public init(
        id: ResourceID, url: String, events: [String], createdAt: Date, lastSuccessAt: Date?, failing: Bool,
        failingSince: Date?, secret: String? = nil
    ) {
        self.id = id
        self.url = url
        self.events = events
        self.createdAt = createdAt
        self.lastSuccessAt = lastSuccessAt
        self.failing = failing
        self.failingSince = failingSince
        self.secret = secret
    }
}

public typealias WebhookList = Page<Webhook>

/// One thing that a webhook is told, and what became of it.
public struct WebhookDelivery: Codable, Sendable, Equatable, Identifiable {
    /// The same in every try, and the header `webhook-id`.
    public var id: ResourceID
    public var event: String
    /// `waiting`, `delivered` or `failed`.
    public var status: String
    public var tries: Int
    public var createdAt: Date
    @ExplicitNull public var lastTryAt: Date?
    @ExplicitNull public var nextTryAt: Date?
    @ExplicitNull public var endedAt: Date?
    /// What the receiver answered last, if it did.
    @ExplicitNull public var httpStatus: Int?
    @ExplicitNull public var error: String?

    public init(
        id: ResourceID, event: String, status: String, tries: Int, createdAt: Date, lastTryAt: Date?,
        nextTryAt: Date?, endedAt: Date?, httpStatus: Int?, error: String?
    ) {
        self.id = id
        self.event = event
        self.status = status
        self.tries = tries
        self.createdAt = createdAt
        self.lastTryAt = lastTryAt
        self.nextTryAt = nextTryAt
        self.endedAt = endedAt
        self.httpStatus = httpStatus
        self.error = error
    }
}

public typealias WebhookDeliveryList = Page<WebhookDelivery>
