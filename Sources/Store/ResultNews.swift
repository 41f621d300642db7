import Domain
import Foundation
import Postgres
import StrictJSON

/// Changed results for webhooks: at most once in a while for a form, over all instances, and the last change always.
///
/// Never for an anonymous form, where it would keep the moments of answers. Nothing is written for a form that nobody
/// has asked about, and nothing in the transaction of a submission.
public struct ResultNews: Sendable {
    let pool: Pool
    /// Seconds between two that tell of the same form.
    let interval: Double

    private struct Change: Sendable {
        var formID: UUID
        var revision: Int
        var submissions: Int

        /// Of a form that was never told of, what happens before the first answer is no change of its results.
        func isNews(after told: Int?) -> Bool { told.map { $0 < revision } ?? (submissions > 0) }
    }

    /// Tells of those that changed, and returns the ones to be asked about again, since they were told of just now.
    public func tell(_ formIDs: Set<UUID>) async throws -> Set<UUID> {
        let wanted = try await wanted(among: formIDs)
        guard !wanted.isEmpty else { return [] }
        return try await pool.transaction { connection in
            let changes = try await Self.changes(of: wanted, on: connection)
            guard !changes.isEmpty else { return [] }
            let claimed = try await claim(changes, on: connection)
            let told = changes.filter { claimed.contains($0.formID) }
            try await Self.record(told, on: connection)
            let known = try await Self.revisions(of: changes.map(\.formID), on: connection)
            return Set(changes.filter { $0.revision > known[$0.formID] ?? 0 }.map(\.formID))
        }
    }

    /// Forms whose last change may not have been told, because its news was lost: those that changed within a day, after
    /// a webhook asked for them.
    public func untold() async throws -> Set<UUID> {
        let rows = try await pool.query(
            """
            SELECT f.id, min(w.created_at) \(fragment: Self.source) GROUP BY f.id
            """)
        var since: [UUID: Date] = [:]
        for row in rows {
            let (formID, asked) = try row.decode(UUID.self, Date.self)
            since[formID] = asked
        }
        guard !since.isEmpty else { return [] }
        let states = try await pool.query(
            """
            SELECT form_id, revision, submissions, updated_at FROM form_state
            WHERE form_id = ANY (\(Array(since.keys))) AND NOT anonymous AND NOT trashed
                AND updated_at > now() - interval '1 day'
            """)
        var changed: [Change] = []
        for row in states {
            let (formID, revision, submissions, updatedAt) = try row.decode(
                UUID.self, Int.self, Int.self, Date.self)
            guard let asked = since[formID], updatedAt > asked else { continue }
            changed.append(Change(formID: formID, revision: revision, submissions: submissions))
        }
        guard !changed.isEmpty else { return [] }
        let formIDs = changed.map(\.formID)
        let known = try await pool.withConnection { try await Self.revisions(of: formIDs, on: $0) }
        return Set(changed.filter { $0.isNews(after: known[$0.formID]) }.map(\.formID))
    }

    /// Those that some webhook asks for, in the order of their locks.
    private func wanted(among formIDs: Set<UUID>) async throws -> [UUID] {
        guard !formIDs.isEmpty else { return [] }
        let rows = try await pool.query(
            "SELECT DISTINCT f.id \(fragment: Self.source) AND f.id = ANY (\(Array(formIDs)))\nORDER BY f.id")
        return try rows.map { row throws -> UUID in try row.decode(UUID.self) }
    }

    /// Those of the forms whose results are not what was told of them.
    private static func changes(of formIDs: [UUID], on connection: Connection) async throws -> [Change] {
        let rows = try await connection.query(
            """
            SELECT form_id, revision, submissions FROM form_state
            WHERE form_id = ANY (\(formIDs)) AND NOT anonymous AND NOT trashed ORDER BY form_id
            """)
        let states = try rows.map { row throws -> Change in
            let (formID, revision, submissions) = try row.decode(UUID.self, Int.self, Int.self)
            return Change(formID: formID, revision: revision, submissions: submissions)
        }
        let known = try await revisions(of: formIDs, on: connection)
        return states.filter { $0.isNews(after: known[$0.formID]) }
    }

    /// Of several instances that would tell of a form, one may, and none too soon after the last time.
    private func claim(_ changes: [Change], on connection: Connection) async throws -> Set<UUID> {
        let rows = try await connection.query(
            """
            INSERT INTO webhook_result AS r (form_id, revision, told_at)
            SELECT u.form_id, u.revision, clock_timestamp()
            FROM unnest(\(changes.map(\.formID)), \(changes.map { Int64($0.revision) })) AS u (form_id, revision)
            ON CONFLICT (form_id) DO UPDATE SET revision = excluded.revision, told_at = excluded.told_at
            WHERE r.revision < excluded.revision
                AND r.told_at <= clock_timestamp() - make_interval(secs => \(interval))
            RETURNING r.form_id
            """)
        return Set(try rows.map { row throws -> UUID in try row.decode(UUID.self) })
    }

    private static func record(_ told: [Change], on connection: Connection) async throws {
        guard !told.isEmpty else { return }
        let rows = try await connection.query(
            """
            SELECT w.id, f.id, m.id, m.series_id, m.round, clock_timestamp() \(fragment: source)
                AND f.id = ANY (\(told.map(\.formID)))
            ORDER BY f.id, w.id
            """)
        let changes = Dictionary(told.map { ($0.formID, $0) }, uniquingKeysWith: { first, _ in first })
        var deliveries: [Events.Delivery] = []
        for row in rows {
            let (webhookID, formID, meetingID, seriesID, round, now) = try row.decode(
                UUID.self, UUID.self, UUID.self, UUID.self, Int.self, Date.self)
            guard let change = changes[formID] else { continue }
            let ids = [("meetingId", meetingID), ("seriesId", seriesID), ("formId", formID)]
            let data = ids.map { JSONValue.Member($0.0, .string($0.1.uuidString.lowercased())) }
            let numbers = [("round", round), ("revision", change.revision), ("submissions", change.submissions)]
            deliveries.append(
                Events.Delivery(
                    webhookID: webhookID, event: Event.resultsChanged.rawValue, timestamp: now,
                    data: .object(data + numbers.map { .init($0.0, JSONValue($0.1)) })))
        }
        try await Events.insert(deliveries, on: connection)
    }

    private static func revisions(of formIDs: [UUID], on connection: Connection) async throws -> [UUID: Int] {
        let rows = try await connection.query(
            "SELECT form_id, revision FROM webhook_result WHERE form_id = ANY (\(formIDs))")
        return Dictionary(
            try rows.map { row in
                let (formID, revision) = try row.decode(UUID.self, Int.self)
                return (formID, revision)
            }, uniquingKeysWith: { first, _ in first })
    }

    private static var source: Statement { Events.subscribed(to: .resultsChanged) }
}

extension Store {
    /// - Parameter interval: seconds between two that tell of the same form.
    public func resultNews(interval: Double = 10) -> ResultNews { ResultNews(pool: pool, interval: interval) }
}
