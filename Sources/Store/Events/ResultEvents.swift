import Domain
import Foundation
import Postgres
import StrictJSON

/// Publishes changed results of forms to webhooks.
///
/// A form has at most one event per interval, across all instances, and always gets an event after its last new answer.
/// An anonymous form has none, because the events would store the times of its answers. Nothing is written for a form
/// without a subscriber, and nothing in the transaction of a submission.
public struct ResultEvents: Sendable {
    let pool: Pool
    /// The minimum number of seconds between two events of the same form.
    let interval: Double

    /// The state of a form that has a subscriber.
    private struct FormSnapshot: Sendable {
        var formID: UUID
        var revision: Int
        var submissions: Int
        var answeredAt: Date
        /// When the first of the form's webhooks subscribed.
        var subscribedSince: Date

        /// Whether answers changed after the last event and after the first subscription. A new revision alone is not
        /// enough, because settings and the clock change it too. A form without answers has no first event.
        func hasNewAnswers(since published: Published?) -> Bool {
            guard answeredAt > subscribedSince else { return false }
            return published.map { $0.revision < revision && $0.answeredAt != answeredAt } ?? (submissions > 0)
        }
    }

    /// The state of a form in its last event.
    private struct Published: Sendable {
        var revision: Int
        var answeredAt: Date
    }

    /// Publishes the results of the forms that have new answers. Returns the forms that could not be published yet,
    /// because the interval since their last event has not passed.
    public func publish(_ formIDs: Set<UUID>) async throws -> Set<UUID> {
        guard !formIDs.isEmpty else { return [] }
        let subscribedForms = try await subscribedForms(Self.source + " AND f.id = ANY (\(Array(formIDs)))")
        guard !subscribedForms.isEmpty else { return [] }
        return try await pool.transaction(inTurn: false) { connection in
            let changed = try await Self.changedForms(among: subscribedForms, on: connection)
            guard !changed.isEmpty else { return [] }
            let claimed = try await claim(changed, on: connection)
            let published = changed.filter { claimed.contains($0.formID) }
            try await Self.record(published, on: connection)
            let lastPublished = try await Self.lastPublished(changed.map(\.formID), on: connection)
            return Set(changed.filter { $0.hasNewAnswers(since: lastPublished[$0.formID]) }.map(\.formID))
        }
    }

    /// Returns the forms with unpublished answers that changed within the last day. Notifications of these changes may
    /// have been lost.
    public func pending() async throws -> Set<UUID> {
        let subscribedForms = try await subscribedForms(Self.source)
        guard !subscribedForms.isEmpty else { return [] }
        return try await pool.withConnection { connection in
            Set(
                try await Self.changedForms(
                    among: subscribedForms, " AND updated_at > now() - interval '1 day'", on: connection
                ).map(\.formID))
        }
    }

    /// Returns the forms with a subscribed webhook, and for each the time of the first subscription.
    private func subscribedForms(_ source: Statement) async throws -> [UUID: Date] {
        let rows = try await pool.query("SELECT f.id, min(w.created_at) \(fragment: source) GROUP BY f.id")
        return try rows.reduce(into: [:]) { forms, row in
            let (formID, subscribedSince) = try row.decode(UUID.self, Date.self)
            forms[formID] = subscribedSince
        }
    }

    /// Returns the forms that have new answers, ordered by id. All instances claim forms in this order, so that they do
    /// not deadlock.
    private static func changedForms(
        among subscribedForms: [UUID: Date], _ condition: Statement = "", on connection: Connection
    ) async throws -> [FormSnapshot] {
        let rows = try await connection.query(
            """
            SELECT form_id, revision, submissions, updated_at FROM form_state
            WHERE form_id = ANY (\(Array(subscribedForms.keys))) AND NOT anonymous AND NOT trashed\(fragment: condition)
            ORDER BY form_id
            """)
        let snapshots = try rows.map { row throws -> FormSnapshot in
            let (formID, revision, submissions, answeredAt) = try row.decode(
                UUID.self, Int.self, Int.self, Date.self)
            return FormSnapshot(
                formID: formID, revision: revision, submissions: submissions, answeredAt: answeredAt,
                subscribedSince: subscribedForms[formID] ?? .distantFuture)
        }
        let lastPublished = try await lastPublished(snapshots.map(\.formID), on: connection)
        return snapshots.filter { $0.hasNewAnswers(since: lastPublished[$0.formID]) }
    }

    /// Claims the forms to publish, and returns those that were claimed. Only one instance can claim a form, and only
    /// after the interval has passed.
    private func claim(_ forms: [FormSnapshot], on connection: Connection) async throws -> Set<UUID> {
        let rows = try await connection.query(
            """
            INSERT INTO webhook_result AS r (form_id, revision, answered_at, notified_at)
            SELECT u.form_id, u.revision, u.answered_at, clock_timestamp()
            FROM unnest(\(forms.map(\.formID)), \(forms.map { Int64($0.revision) }),
                \(forms.map(\.answeredAt))) AS u (form_id, revision, answered_at)
            ON CONFLICT (form_id) DO UPDATE
            SET revision = excluded.revision, answered_at = excluded.answered_at, notified_at = excluded.notified_at
            WHERE r.revision < excluded.revision
                AND r.notified_at <= clock_timestamp() - make_interval(secs => \(interval))
            RETURNING r.form_id
            """)
        return Set(try rows.map { row throws -> UUID in try row.decode(UUID.self) })
    }

    private static func record(_ published: [FormSnapshot], on connection: Connection) async throws {
        guard !published.isEmpty else { return }
        let rows = try await connection.query(
            """
            SELECT w.id, f.id, m.id, m.series_id, m.round, clock_timestamp() \(fragment: source)
                AND f.id = ANY (\(published.map(\.formID)))
            ORDER BY f.id, w.id
            """)
        let forms = Dictionary(published.map { ($0.formID, $0) }, uniquingKeysWith: { first, _ in first })
        var deliveries: [Events.Delivery] = []
        for row in rows {
            let (webhookID, formID, meetingID, seriesID, round, now) = try row.decode(
                UUID.self, UUID.self, UUID.self, UUID.self, Int.self, Date.self)
            guard let form = forms[formID] else { continue }
            let data =
                Events.ids(meetingID: meetingID, seriesID: seriesID, round: round) + [
                    .init("formId", .string(formID.lowercased)), .init("revision", JSONValue(form.revision)),
                    .init("submissions", JSONValue(form.submissions)),
                ]
            deliveries.append(
                Events.Delivery(
                    webhookID: webhookID, event: Event.resultsChanged.rawValue, timestamp: now,
                    data: .object(data)))
        }
        try await Events.insert(deliveries, on: connection)
    }

    private static func lastPublished(_ formIDs: [UUID], on connection: Connection) async throws -> [UUID: Published] {
        let rows = try await connection.query(
            "SELECT form_id, revision, answered_at FROM webhook_result WHERE form_id = ANY (\(formIDs))")
        return try rows.reduce(into: [:]) { forms, row in
            let (formID, revision, answeredAt) = try row.decode(UUID.self, Int.self, Date.self)
            forms[formID] = Published(revision: revision, answeredAt: answeredAt)
        }
    }

    /// Joins the webhooks that subscribe to results to the meetings and forms outside the trash.
    private static var source: Statement { Events.subscribed(to: .resultsChanged) + " AND m.deleted_at IS NULL" }
}

extension Store {
    /// - Parameter interval: The minimum number of seconds between two events of the same form.
    public func resultEvents(interval: Double = 10) -> ResultEvents { ResultEvents(pool: pool, interval: interval) }
}
