import Domain
import Foundation
import Postgres
import StrictJSON

/// Events of changed results for webhooks: limited to one per interval for a form, over all instances, and always
/// including the last change.
///
/// Never for an anonymous form, where the events would store the times of answers. Nothing is written for a form
/// without a subscriber, and nothing in the transaction of a submission.
public struct ResultEvents: Sendable {
    let pool: Pool
    /// Seconds between two events of the same form.
    let interval: Double

    private struct Change: Sendable {
        var formID: UUID
        var revision: Int
        var submissions: Int
        var answeredAt: Date
        /// The time since when a webhook has been subscribed.
        var askedAt: Date

        /// Whether answers arrived since the last event and since the subscription. Settings and the clock change the
        /// revision too, but are not published; nor are changes of a form without answers.
        func isChange(since published: Published?) -> Bool {
            guard answeredAt > askedAt else { return false }
            return published.map { $0.revision < revision && $0.answeredAt != answeredAt } ?? (submissions > 0)
        }
    }

    private struct Published: Sendable {
        var revision: Int
        var answeredAt: Date
    }

    /// Publishes the forms that changed, and returns those to check again later, because they have just been published.
    public func publish(_ formIDs: Set<UUID>) async throws -> Set<UUID> {
        guard !formIDs.isEmpty else { return [] }
        let asked = try await asked(Self.source + " AND f.id = ANY (\(Array(formIDs)))")
        guard !asked.isEmpty else { return [] }
        return try await pool.transaction { connection in
            let changes = try await Self.changes(asked, on: connection)
            guard !changes.isEmpty else { return [] }
            let claimed = try await claim(changes, on: connection)
            let published = changes.filter { claimed.contains($0.formID) }
            try await Self.record(published, on: connection)
            let known = try await Self.published(changes.map(\.formID), on: connection)
            return Set(changes.filter { $0.isChange(since: known[$0.formID]) }.map(\.formID))
        }
    }

    /// Returns forms whose last change may be unpublished because its notification was lost: those that changed within
    /// a day.
    public func pending() async throws -> Set<UUID> {
        let asked = try await asked(Self.source)
        guard !asked.isEmpty else { return [] }
        return try await pool.withConnection { connection in
            Set(
                try await Self.changes(asked, " AND updated_at > now() - interval '1 day'", on: connection)
                    .map(\.formID))
        }
    }

    /// Returns the forms with a subscribed webhook, and the time since when.
    private func asked(_ source: Statement) async throws -> [UUID: Date] {
        let rows = try await pool.query("SELECT f.id, min(w.created_at) \(fragment: source) GROUP BY f.id")
        return Dictionary(
            try rows.map { row in
                let (formID, askedAt) = try row.decode(UUID.self, Date.self)
                return (formID, askedAt)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the forms whose answers differ from the published ones, in the order of their locks.
    private static func changes(
        _ asked: [UUID: Date], _ condition: Statement = "", on connection: Connection
    ) async throws -> [Change] {
        let rows = try await connection.query(
            """
            SELECT form_id, revision, submissions, updated_at FROM form_state
            WHERE form_id = ANY (\(Array(asked.keys))) AND NOT anonymous AND NOT trashed\(fragment: condition)
            ORDER BY form_id
            """)
        let states = try rows.map { row throws -> Change in
            let (formID, revision, submissions, answeredAt) = try row.decode(
                UUID.self, Int.self, Int.self, Date.self)
            return Change(
                formID: formID, revision: revision, submissions: submissions, answeredAt: answeredAt,
                askedAt: asked[formID] ?? .distantFuture)
        }
        let known = try await published(states.map(\.formID), on: connection)
        return states.filter { $0.isChange(since: known[$0.formID]) }
    }

    /// Claims the forms to publish: of several instances only one may publish a form, and not before the interval has
    /// passed.
    private func claim(_ changes: [Change], on connection: Connection) async throws -> Set<UUID> {
        let rows = try await connection.query(
            """
            INSERT INTO webhook_result AS r (form_id, revision, answered_at, notified_at)
            SELECT u.form_id, u.revision, u.answered_at, clock_timestamp()
            FROM unnest(\(changes.map(\.formID)), \(changes.map { Int64($0.revision) }),
                \(changes.map(\.answeredAt))) AS u (form_id, revision, answered_at)
            ON CONFLICT (form_id) DO UPDATE
            SET revision = excluded.revision, answered_at = excluded.answered_at, notified_at = excluded.notified_at
            WHERE r.revision < excluded.revision
                AND r.notified_at <= clock_timestamp() - make_interval(secs => \(interval))
            RETURNING r.form_id
            """)
        return Set(try rows.map { row throws -> UUID in try row.decode(UUID.self) })
    }

    private static func record(_ published: [Change], on connection: Connection) async throws {
        guard !published.isEmpty else { return }
        let rows = try await connection.query(
            """
            SELECT w.id, f.id, m.id, m.series_id, m.round, clock_timestamp() \(fragment: source)
                AND f.id = ANY (\(published.map(\.formID)))
            ORDER BY f.id, w.id
            """)
        let changes = Dictionary(published.map { ($0.formID, $0) }, uniquingKeysWith: { first, _ in first })
        var deliveries: [Events.Delivery] = []
        for row in rows {
            let (webhookID, formID, meetingID, seriesID, round, now) = try row.decode(
                UUID.self, UUID.self, UUID.self, UUID.self, Int.self, Date.self)
            guard let change = changes[formID] else { continue }
            let data =
                Events.ids(meetingID: meetingID, seriesID: seriesID, round: round) + [
                    .init("formId", .string(formID.lowercased)), .init("revision", JSONValue(change.revision)),
                    .init("submissions", JSONValue(change.submissions)),
                ]
            deliveries.append(
                Events.Delivery(
                    webhookID: webhookID, event: Event.resultsChanged.rawValue, timestamp: now,
                    data: .object(data)))
        }
        try await Events.insert(deliveries, on: connection)
    }

    private static func published(_ formIDs: [UUID], on connection: Connection) async throws -> [UUID: Published] {
        let rows = try await connection.query(
            "SELECT form_id, revision, answered_at FROM webhook_result WHERE form_id = ANY (\(formIDs))")
        return Dictionary(
            try rows.map { row in
                let (formID, revision, answeredAt) = try row.decode(UUID.self, Int.self, Date.self)
                return (formID, Published(revision: revision, answeredAt: answeredAt))
            }, uniquingKeysWith: { first, _ in first })
    }

    private static var source: Statement { Events.subscribed(to: .resultsChanged) + " AND m.deleted_at IS NULL" }
}

extension Store {
    /// - Parameter interval: seconds between two events of the same form.
    public func resultEvents(interval: Double = 10) -> ResultEvents { ResultEvents(pool: pool, interval: interval) }
}
