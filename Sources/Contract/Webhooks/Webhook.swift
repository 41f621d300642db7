import Foundation

/// A request for a webhook.
public struct WebhookRequest: Codable, Sendable, Equatable {
    public var url: String
    /// Any of `results.changed`, `form.opened`, `form.closed`, `meeting.created` and `attendee.checked-in`.
    public var events: [String]

    public init(url: String, events: [String]) {
        self.url = url
        self.events = events
    }
}

/// A change of a webhook.
public struct WebhookEdit: Codable, Sendable, Equatable {
    /// Whether the webhook gets nothing until it is resumed.
    public var paused: Bool

    public init(paused: Bool) { self.paused = paused }
}

/// An account's webhook and its status.
public struct Webhook: Codable, Sendable, Equatable, Identifiable {
    public var id: ResourceID
    public var url: String
    public var events: [String]
    public var createdAt: Date
    @ExplicitNull public var lastSuccessAt: Date?
    /// Whether the last attempt failed.
    public var failing: Bool
    @ExplicitNull public var failingSince: Date?
    /// Since when it is paused. Nil if it is not.
    @ExplicitNull public var pausedAt: Date?
    /// The key that signs deliveries, `whsec_…`. Only in the response that creates the webhook.
    @Confidential public var secret: String?

    public init(
        id: ResourceID, url: String, events: [String], createdAt: Date, lastSuccessAt: Date?, failing: Bool,
        failingSince: Date?, pausedAt: Date? = nil, secret: String? = nil
    ) {
        self.id = id
        self.url = url
        self.events = events
        self.createdAt = createdAt
        self.lastSuccessAt = lastSuccessAt
        self.failing = failing
        self.failingSince = failingSince
        self.pausedAt = pausedAt
        self.secret = secret
    }
}

public typealias WebhookList = Page<Webhook>

/// One delivery and its status.
public struct WebhookDelivery: Codable, Sendable, Equatable, Identifiable {
    /// The id of the delivery, which is the same in each attempt. It is also sent as the header `webhook-id`.
    public var id: ResourceID
    public var event: String
    /// `waiting`, `delivered` or `failed`.
    public var status: String
    public var tries: Int
    public var createdAt: Date
    @ExplicitNull public var lastTryAt: Date?
    @ExplicitNull public var nextTryAt: Date?
    @ExplicitNull public var endedAt: Date?
    /// The HTTP status of the last response, if any.
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
