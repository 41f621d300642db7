import Cryptography
import Domain
import Foundation
import Postgres

/// A URL to which the service sends an account's events.
public struct Webhook: Sendable {
    public var id: UUID
    public var url: String
    public var events: [String]
    public var createdAt: Date
    public var lastSuccessAt: Date?
    /// The time since which all tries have failed; nil if the last try succeeded, or if there was no try.
    public var failingSince: Date?
    /// Since when it is paused; nil if it is not.
    public var pausedAt: Date?

    static let select: Statement = """
        SELECT w.id, w.url, w.events, w.created_at, s.last_success_at, s.failing_since, w.paused_at
        FROM webhook w JOIN webhook_state s ON s.webhook_id = w.id
        """

    static func read(_ row: Row) throws -> Webhook {
        var columns = Columns(row)
        return Webhook(
            id: try columns.next(), url: try columns.next(), events: try columns.next(),
            createdAt: try columns.next(), lastSuccessAt: try columns.next(), failingSince: try columns.next(),
            pausedAt: try columns.next())
    }
}

/// The delivery of one event to one webhook, and its outcome.
public struct WebhookDelivery: Sendable {
    public enum Status: String, Sendable, CaseIterable {
        case waiting, delivered, failed
    }

    public var id: UUID
    public var event: String
    public var tries: Int
    public var createdAt: Date
    public var lastTryAt: Date?
    /// The status of the receiver's last response, if there was one.
    public var lastStatus: Int?
    /// The reason why the last try failed.
    public var lastError: String?
    public var nextTryAt: Date
    public var deliveredAt: Date?
    public var failedAt: Date?

    public var status: Status {
        if deliveredAt != nil { return .delivered }
        return failedAt == nil ? .waiting : .failed
    }

    static let columns: Statement = """
        id, event, tries, created_at, last_try_at, last_status, last_error, next_try_at, delivered_at, failed_at
        """

    static func read(_ row: Row) throws -> WebhookDelivery {
        var columns = Columns(row)
        return WebhookDelivery(
            id: try columns.next(), event: try columns.next(), tries: try columns.next(),
            createdAt: try columns.next(), lastTryAt: try columns.next(), lastStatus: try columns.next(),
            lastError: try columns.next(), nextTryAt: try columns.next(), deliveredAt: try columns.next(),
            failedAt: try columns.next())
    }
}

extension KeyRing {
    /// Derives the secret that signs a webhook's deliveries. The secret is never stored.
    func webhookSecret(of id: UUID, keyID: Int) throws -> [UInt8] {
        HKDF.sha256(
            key: try key(keyID), salt: Array(id.lowercased.utf8), info: "afterword/1/webhook")
    }
}
