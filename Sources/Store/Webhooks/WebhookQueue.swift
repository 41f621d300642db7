import Domain
import Foundation
import Postgres

/// The queue of deliveries. Each webhook has at most one delivery in flight across all instances.
public struct WebhookQueue: Sendable {
    /// The number of seconds after which a delivery can be claimed again, if the instance that claimed it was killed. A
    /// single try takes at most ten seconds. A longer lease would delay the webhook's other deliveries.
    static let lease: Double = 20
    /// The number of seconds after which an ended delivery is deleted from the log.
    static let retention: Double = 7 * 86_400
    /// The maximum number of deliveries in flight per account, in each lane.
    static let maxInFlight = 2
    /// The maximum number of waiting deliveries per webhook. If there are more, the oldest are given up.
    static let maxWaiting = 10_000
    /// The maximum number of attempts to claim a delivery while other instances are faster.
    private static let maxAttempts = 10

    /// A claimed delivery. It cannot be claimed again until the lease expires.
    public struct Delivery: Sendable {
        public var id: UUID
        public var webhookID: UUID
        public var url: String
        public var body: String
        /// The number of tries, including this one.
        public var tries: Int
        public var secret: [UInt8]
        /// The number of the lease, to detect that it has expired.
        var claim: Int
    }

    let pool: Pool
    let keys: KeyRing

    /// Claims the next delivery of the webhook that has been idle for the longest time. Returns nil if no delivery is
    /// due.
    ///
    /// - Parameter failing: Whether to claim a delivery of a failing webhook, instead of one of another webhook. A
    ///   webhook is failing if its last try failed or if no try has succeeded. The two kinds are separate lanes, so
    ///   that failing webhooks, which may be slow, do not delay the others.
    public func claim(failing: Bool) async throws -> Delivery? {
        for _ in 0..<Self.maxAttempts {
            switch try await attempt(failing: failing) {
            case .claimed(let delivery): return delivery
            case .lost: continue
            case .nothingDue: return nil
            }
        }
        return nil
    }

    private enum Attempt: Sendable {
        case claimed(Delivery)
        /// Another instance was faster. Other deliveries may be due.
        case lost
        case nothingDue
    }

    /// Selects a webhook with a due delivery, and locks its row in `webhook_state`. Compares with
    /// `statement_timestamp()`, so that an index can be used; `clock_timestamp()` may differ from row to row.
    static func dueWebhook(failing: Bool) -> Statement {
        """
        SELECT s.webhook_id FROM webhook_state s
        WHERE s.busy_until <= statement_timestamp() AND \(fragment: isFailing("s")) = \(failing)
            AND EXISTS (SELECT FROM webhook_delivery d
                WHERE d.webhook_id = s.webhook_id AND d.delivered_at IS NULL AND d.failed_at IS NULL
                    AND d.next_try_at <= statement_timestamp())
            AND s.webhook_id IN (SELECT w.id FROM webhook w JOIN account a ON a.id = w.account_id
                WHERE a.disabled_at IS NULL AND w.paused_at IS NULL AND a.id NOT IN (\(fragment: busyAccounts(failing: failing))))
        ORDER BY s.busy_until, s.webhook_id LIMIT 1 FOR UPDATE OF s SKIP LOCKED
        """
    }

    private static func isFailing(_ alias: String) -> Statement {
        """
        (\(identifier: alias).failing_since IS NOT NULL OR \(identifier: alias).last_success_at IS NULL)
        """
    }

    /// Selects the accounts that already have the maximum number of deliveries in flight in this lane.
    private static func busyAccounts(failing: Bool) -> Statement {
        """
        SELECT v.account_id FROM webhook_state b JOIN webhook v ON v.id = b.webhook_id
        WHERE b.busy_until > statement_timestamp() AND \(fragment: isFailing("b")) = \(failing)
        GROUP BY v.account_id HAVING count(*) >= \(maxInFlight)
        """
    }

    /// Selects the webhook's next due delivery.
    static func dueDelivery(of webhookID: UUID) -> Statement {
        """
        SELECT n.id FROM webhook_delivery n
        WHERE n.webhook_id = \(webhookID) AND n.delivered_at IS NULL AND n.failed_at IS NULL
            AND n.next_try_at <= statement_timestamp()
        ORDER BY n.next_try_at, n.id LIMIT 1
        """
    }

    private func attempt(failing: Bool) async throws -> Attempt {
        let keys = keys
        return try await pool.transaction(inTurn: false) { connection in
            let rows = try await connection.query(Self.dueWebhook(failing: failing))
            guard let webhookID = try rows.first?.decode(UUID.self) else { return .nothingDue }
            // Serializes concurrent claims for one account, so that each claim counts the ones before it.
            try await connection.query(
                """
                SELECT pg_advisory_xact_lock(hashtextextended('webhook ' || account_id, 0)) FROM webhook
                WHERE id = \(webhookID)
                """)
            let busyRows = try await connection.query(
                """
                SELECT account_id IN (\(fragment: Self.busyAccounts(failing: failing))), url, key_id FROM webhook
                WHERE id = \(webhookID)
                """)
            guard let webhook = try busyRows.first?.decode(Bool.self, String.self, Int.self), !webhook.0 else {
                return .lost
            }
            let (_, url, keyID) = webhook
            // This separate statement sees deliveries that ended before the webhook's row was locked.
            let claimed = try await connection.query(
                """
                UPDATE webhook_delivery AS d SET tries = d.tries + 1, last_try_at = clock_timestamp(),
                    next_try_at = clock_timestamp() + make_interval(secs => \(Self.lease))
                WHERE d.id = (\(fragment: Self.dueDelivery(of: webhookID)))
                RETURNING d.id, d.body, d.tries
                """)
            guard let row = claimed.first else { return .lost }
            let (id, body, tries) = try row.decode(UUID.self, String.self, Int.self)
            let claim = try await connection.query(
                """
                UPDATE webhook_state SET claims = claims + 1,
                    busy_until = clock_timestamp() + make_interval(secs => \(Self.lease))
                WHERE webhook_id = \(webhookID) RETURNING claims
                """
            ).single().decode(Int.self)
            return .claimed(
                Delivery(
                    id: id, webhookID: webhookID, url: url, body: body, tries: tries,
                    secret: try keys.webhookSecret(of: webhookID, keyID: keyID), claim: claim))
        }
    }

    /// Records a success. Returns false, and records nothing, if the lease has expired and the webhook was claimed
    /// again.
    @discardableResult
    public func succeeded(_ delivery: Delivery, status: Int) async throws -> Bool {
        try await end(
            delivery, state: "last_success_at = clock_timestamp(), failing_since = NULL",
            """
            last_status = \(status), last_error = NULL, delivered_at = clock_timestamp()
            """)
    }

    /// Records a failure. The delivery is tried again after a delay that grows with the number of tries. After a day,
    /// it is given up. Returns false as `succeeded` does.
    ///
    /// - Parameters:
    ///   - status: The status of the receiver's response, if there was one.
    ///   - reason: The reason in one line, without text from the response.
    ///   - chance: A random number from 0 to 1, by which the delay is varied.
    @discardableResult
    public func failed(
        _ delivery: Delivery, status: Int?, reason: String, chance: Double
    ) async throws -> Bool {
        let pause = WebhookSchedule.pause(after: delivery.tries, chance: chance)
        return try await end(
            delivery, state: "failing_since = coalesce(failing_since, clock_timestamp())",
            """
            last_status = \(status), last_error = \(reason),
                failed_at = CASE WHEN give_up_at <= clock_timestamp() THEN clock_timestamp() END,
                next_try_at = least(clock_timestamp() + make_interval(secs => \(pause)),
                    greatest(give_up_at, clock_timestamp()))
            """)
    }

    private func end(_ delivery: Delivery, state: Statement, _ changes: Statement) async throws -> Bool {
        try await pool.transaction(inTurn: false) { connection in
            let held = try await connection.execute(
                """
                UPDATE webhook_state SET busy_until = clock_timestamp(), \(fragment: state)
                WHERE webhook_id = \(delivery.webhookID) AND claims = \(delivery.claim)
                """)
            guard held == 1 else { return false }
            // The delivery is not changed if it was given up in the meantime, or redelivered, which resets its number
            // of tries.
            try await connection.execute(
                """
                UPDATE webhook_delivery SET \(fragment: changes)
                WHERE id = \(delivery.id) AND tries = \(delivery.tries) AND delivered_at IS NULL AND failed_at IS NULL
                """)
            return true
        }
    }

    /// Gives up the oldest waiting deliveries of webhooks that have more than the maximum. Skips a delivery that is
    /// being claimed, so that no transaction waits for another; it is given up by a later call.
    static func giveUpExcess(of webhookIDs: [UUID], on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT o.id FROM unnest(\(Array(Set(webhookIDs)))) AS u (webhook_id) CROSS JOIN LATERAL (
                SELECT n.id FROM webhook_delivery n
                WHERE n.webhook_id = u.webhook_id AND n.delivered_at IS NULL AND n.failed_at IS NULL
                ORDER BY n.id DESC OFFSET \(maxWaiting)) o
            """)
        let excess = try rows.map { row throws -> UUID in try row.decode(UUID.self) }
        guard !excess.isEmpty else { return }
        try await connection.execute(
            """
            WITH excess AS (
                SELECT id FROM webhook_delivery
                WHERE id = ANY (\(excess)) AND delivered_at IS NULL AND failed_at IS NULL FOR UPDATE SKIP LOCKED)
            UPDATE webhook_delivery AS d SET failed_at = now(), last_error = \("more than \(maxWaiting) were waiting")
            FROM excess e WHERE d.id = e.id
            """)
    }

    /// The parts of the sweep. They delete deliveries that ended a week ago and rows without a webhook or form, and give
    /// up overdue deliveries. Citus changes no local table by a statement that reads a control table, so the ids are
    /// read first.
    static func sweeps(_ pool: Pool) -> [(name: String, run: @Sendable () async throws -> Void)] {
        let ended: Statement = """
            DELETE FROM webhook_delivery
            WHERE coalesce(delivered_at, failed_at) < now() - make_interval(secs => \(retention))
            """
        let orphans = [("webhook_state", "webhook"), ("webhook_delivery", "webhook"), ("webhook_result", "form")]
        let others = orphans.map { table, owner -> (String, @Sendable () async throws -> Void) in
            let delete = { @Sendable in try await deleteOrphans(of: table, without: owner, pool) }
            return ("\(table) without a \(owner)", delete)
        }
        return [
            ("webhook_delivery", { @Sendable in try await pool.execute(ended) }),
            ("overdue webhook_delivery", { @Sendable in try await giveUpOverdue(pool) }),
        ] + others
    }

    private static func giveUpOverdue(_ pool: Pool) async throws {
        let disabled = try await pool.query(
            "SELECT w.id FROM webhook w JOIN account a ON a.id = w.account_id WHERE a.disabled_at IS NOT NULL"
        ).map { row -> UUID in try row.decode(UUID.self) }
        try await pool.execute(
            """
            UPDATE webhook_delivery SET failed_at = now(), last_error = coalesce(last_error,
                CASE WHEN webhook_id = ANY (\(disabled)) THEN 'the account is disabled' ELSE 'it waited too long' END)
            WHERE delivered_at IS NULL AND failed_at IS NULL AND give_up_at < now() - interval '1 day'
            """)
    }

    /// A row of `webhook_result` is kept as long as its form exists. Without the row, the current results would look
    /// like a change.
    private static func deleteOrphans(of table: String, without owner: String, _ pool: Pool) async throws {
        let column: Statement = "\(identifier: owner + "_id")"
        let orphans = try await pool.query(
            """
            SELECT DISTINCT t.\(fragment: column) FROM \(identifier: table) t
            LEFT JOIN \(identifier: owner) o ON o.id = t.\(fragment: column) WHERE o.id IS NULL
            """
        ).map { row -> UUID in try row.decode(UUID.self) }
        guard !orphans.isEmpty else { return }
        try await pool.execute(
            "DELETE FROM \(identifier: table) WHERE \(fragment: column) = ANY (\(orphans))")
    }
}
