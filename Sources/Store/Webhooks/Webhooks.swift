import Domain
import Foundation
import Postgres
import StrictJSON

/// Manages the webhooks of an account, and reads the log of their deliveries.
public struct Webhooks: Sendable {
    /// The maximum number of webhooks of one account.
    static let maxCount = 20
    /// The event of a test delivery. Webhooks can't subscribe to it.
    static let testEvent = "webhook.test"

    let pool: Pool
    let keys: KeyRing

    /// Creates a webhook and returns its secret, which no other call returns. Throws 422 if the account has too many
    /// webhooks.
    public func create(
        _ draft: WebhookDraft, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (Webhook) throws -> [UInt8]
    ) async throws -> (response: IdempotentResponse, secret: String) {
        let (id, keyID, accountID) = (UUIDv7.make(), keys.newest, principal.account.id)
        let response = try await pool.once(request) { connection in
            // This also locks the account, so that concurrent calls do not exceed the maximum.
            try await principal.confirm(on: connection)
            let count = try await connection.query(
                "SELECT count(*) FROM webhook WHERE account_id = \(accountID)"
            ).single().decode(Int.self)
            guard count < Self.maxCount else {
                throw Problem([
                    Fault(.invalid, at: "", code: "too-many", "An account has at most \(Self.maxCount) webhooks.")
                ])
            }
            try await connection.execute(
                """
                INSERT INTO webhook (id, account_id, url, events, key_id)
                VALUES (\(id), \(accountID), \(draft.url.text), \(draft.events), \(keyID))
                """)
            try await connection.execute("INSERT INTO webhook_state (webhook_id) VALUES (\(id))")
            try await Audit.record("webhook.create", of: id, by: accountID, on: connection)
            return try render(
                Webhook.read(await connection.query(Webhook.select + "\nWHERE w.id = \(id)").single()))
        }
        return (response, "whsec_" + Data(try keys.webhookSecret(of: id, keyID: keyID)).base64EncodedString())
    }

    /// Returns webhooks, the newest first.
    ///
    /// - Parameter last: The last webhook of the previous page; nil for the first page.
    public func list(of accountID: UUID, after last: UUID? = nil, limit: Int) async throws -> [Webhook] {
        var statement = Webhook.select + "\nWHERE w.account_id = \(accountID)"
        if let last { statement += " AND w.id < \(last)" }
        return try await pool.query(statement + "\nORDER BY w.id DESC LIMIT \(limit)").map(Webhook.read)
    }

    /// Returns the webhook. Throws 404 if the account has no such webhook.
    @discardableResult
    public func require(_ id: UUID, of accountID: UUID) async throws -> Webhook {
        try Webhook.read(
            await pool.query(Webhook.select + "\nWHERE w.id = \(id) AND w.account_id = \(accountID)").requireFirst())
    }

    /// Pauses or resumes the webhook. Repeating the call changes nothing.
    ///
    /// Nothing is queued for a paused webhook. Deliveries that wait, tests and redeliveries among them, are not tried
    /// before it is resumed, and are given up a day after their event as usual. A delivery in flight may still arrive.
    public func setPaused(_ isPaused: Bool, _ id: UUID, by principal: Principal) async throws -> Webhook {
        let accountID = principal.account.id
        return try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            let found = try await connection.query(
                "SELECT paused_at IS NOT NULL FROM webhook WHERE id = \(id) AND account_id = \(accountID) FOR UPDATE")
            if try found.requireFirst().decode(Bool.self) != isPaused {
                let now = try await connection.query("SELECT clock_timestamp()").single().decode(Date.self)
                try await connection.execute(
                    "UPDATE webhook SET paused_at = \(isPaused ? now : nil) WHERE id = \(id)")
                try await Audit.record(
                    isPaused ? "webhook.pause" : "webhook.resume", of: id, by: accountID, on: connection)
            }
            return try Webhook.read(
                await connection.query(Webhook.select + "\nWHERE w.id = \(id)").single())
        }
    }

    /// Deletes the webhook with its log and its waiting deliveries; a delivery in flight may still arrive.
    public func delete(_ id: UUID, by principal: Principal) async throws {
        let accountID = principal.account.id
        try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            let found = try await connection.query(
                "SELECT 1 FROM webhook WHERE id = \(id) AND account_id = \(accountID)")
            _ = try found.requireFirst()
            for statement in Self.removal("= \(id)") { try await connection.execute(statement) }
            let deleted = try await connection.execute("DELETE FROM webhook WHERE id = \(id)")
            guard deleted == 1 else { throw Problem(.notFound) }
            try await Audit.record("webhook.delete", of: id, by: accountID, on: connection)
        }
    }

    /// Returns ended and waiting deliveries, the newest first.
    ///
    /// - Parameter last: The last delivery of the previous page; nil for the first page.
    public func deliveries(
        of id: UUID, after last: UUID? = nil, limit: Int
    ) async throws -> [WebhookDelivery] {
        var statement: Statement = """
            SELECT \(fragment: WebhookDelivery.columns) FROM webhook_delivery WHERE webhook_id = \(id)
            """
        if let last { statement += " AND id < \(last)" }
        return try await pool.query(statement + "\nORDER BY id DESC LIMIT \(limit)").map(WebhookDelivery.read)
    }

    /// Sends a delivery again, with the same id and body. It is tried immediately, and given up a day from now.
    public func redeliver(
        _ deliveryID: UUID, of id: UUID, by principal: Principal
    ) async throws -> WebhookDelivery {
        try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            let rows = try await connection.query(
                """
                UPDATE webhook_delivery AS d SET next_try_at = now(), delivered_at = NULL, failed_at = NULL, tries = 0,
                    give_up_at = now() + make_interval(secs => \(WebhookSchedule.givenUpAfter))
                WHERE d.id = \(deliveryID) AND d.webhook_id = \(id)
                RETURNING \(fragment: WebhookDelivery.columns)
                """)
            let delivery = try WebhookDelivery.read(rows.requireFirst())
            try await Audit.record("webhook.redeliver", of: deliveryID, by: principal.account.id, on: connection)
            return delivery
        }
    }

    /// Enqueues a test delivery, regardless of the events to which the webhook subscribes. Throws 429 while a test
    /// delivery is waiting, because that delivery can be redelivered.
    public func sendTest(_ id: UUID, by principal: Principal) async throws -> WebhookDelivery {
        try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            // `confirm` has locked the account, which prevents two concurrent test deliveries.
            let waiting = try await connection.query(
                """
                SELECT FROM webhook_delivery
                WHERE webhook_id = \(id) AND event = \(Self.testEvent) AND delivered_at IS NULL AND failed_at IS NULL LIMIT 1
                """)
            guard waiting.isEmpty else {
                throw Problem(
                    .tooManyRequests, "A test delivery is already waiting; it can be redelivered.", retryAfter: 10)
            }
            let now = try await connection.query("SELECT clock_timestamp()").single().decode(Date.self)
            let data = JSONValue.object([.init("webhookId", .string(id.lowercased))])
            let delivery = Events.Delivery(webhookID: id, event: Self.testEvent, timestamp: now, data: data)
            try await Events.insert([delivery], on: connection)
            try await Audit.record("webhook.test", of: id, by: principal.account.id, on: connection)
            return try WebhookDelivery.read(
                await connection.query(
                    "SELECT \(fragment: WebhookDelivery.columns) FROM webhook_delivery WHERE id = \(delivery.id)"
                ).single())
        }
    }

    /// Statements that delete the rows of webhooks in other tables. Run them before deleting the webhooks.
    ///
    /// - Parameter condition: SQL that follows the column of the webhooks' ids, such as `= …` or `= ANY (…)`.
    static func removal(_ condition: Statement) -> [Statement] {
        [
            "DELETE FROM webhook_state WHERE webhook_id \(fragment: condition)",
            "DELETE FROM webhook_delivery WHERE webhook_id \(fragment: condition)",
        ]
    }
}
