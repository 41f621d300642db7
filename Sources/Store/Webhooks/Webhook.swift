import Cryptography
import Domain
import Foundation
import Postgres

/// Where an account is told of what happens.
public struct Webhook: Sendable {
    public var id: UUID
    public var url: String
    public var events: [String]
    public var createdAt: Date
    public var lastSuccessAt: Date?
    /// Since when every try has failed; nil while the last one was taken, or there was none.
    public var failingSince: Date?

    static let select: Statement = """
        SELECT w.id, w.url, w.events, w.created_at, l.last_success_at, l.failing_since
        FROM webhook w JOIN webhook_line l ON l.webhook_id = w.id
        """

    static func read(_ row: Row) throws -> Webhook {
        var columns = Columns(row)
        return Webhook(
            id: try columns.next(), url: try columns.next(), events: try columns.next(),
            createdAt: try columns.next(), lastSuccessAt: try columns.next(), failingSince: try columns.next())
    }
}

/// One thing to tell one webhook, and what became of it.
public struct WebhookDelivery: Sendable {
    public enum Status: String, Sendable, CaseIterable {
        case waiting, delivered, failed
    }

    public var id: UUID
    public var event: String
    public var tries: Int
    public var createdAt: Date
    public var lastTryAt: Date?
    /// What the receiver answered last, if it did.
    public var lastStatus: Int?
    /// Why the last try failed.
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
    /// What a webhook's deliveries are signed with: derived when it is needed, never stored.
    func webhookSecret(of id: UUID, keyID: Int) throws -> [UInt8] {
        HKDF.sha256(
            key: try key(keyID), salt: Array(id.lowercased.utf8), info: "afterword/1/webhook")
    }
}
