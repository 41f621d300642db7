import Domain
import Foundation
import Postgres

/// A form's state, and the state that was last notified.
struct FormStatus: Sendable {
    var formID: UUID
    var meetingID: UUID
    var notified: FormState
    var isTrashed: Bool
    var life: FormLife
    /// The database's clock at the time of reading.
    var now: Date

    var state: FormState { life.state(at: now) }

    /// The events caused by time since the last notification.
    var eventsByClock: [FormEvent] { notified.events(to: state, byClock: true) }

    /// Locks the state of a form, so that submissions wait, and reads it by the clock after the lock; nil in the trash.
    static func lock(_ formID: UUID, on connection: Connection) async throws -> FormStatus? {
        let locked = try await connection.query(
            "SELECT 1 FROM form_state WHERE form_id = \(formID) AND NOT trashed FOR UPDATE")
        return locked.isEmpty ? nil : try await read([formID], on: connection).first
    }

    /// Reads states with one statement per form, so that each statement concerns one node of a distributed database,
    /// and control tables may be written after it.
    static func read(_ formIDs: [UUID], on connection: Connection) async throws -> [FormStatus] {
        let results = try await connection.pipeline(
            formIDs.map { id in
                """
                SELECT fs.form_id, f.meeting_id, fs.notified, fs.trashed, fs.state, fs.opens_at, fs.closes_at,
                    fs.grace_minutes, clock_timestamp()
                FROM form_state fs JOIN form f ON f.id = fs.form_id WHERE fs.form_id = \(id)
                """
            })
        return try results.joined().map { row in
            var columns = Columns(row)
            return FormStatus(
                formID: try columns.next(), meetingID: try columns.next(),
                notified: FormState(rawValue: try columns.next()) ?? .draft, isTrashed: try columns.next(),
                life: FormLife(
                    stored: FormLife.Stored(rawValue: try columns.next()) ?? .draft, opensAt: try columns.next(),
                    closesAt: try columns.next(), graceMinutes: try columns.next()),
                now: try columns.next())
        }
    }

    /// Records events after an action has changed the form under its lock: first those that the clock caused before it,
    /// then those of the action itself. Also makes viewers read again. Returns the recorded events.
    @discardableResult
    func settle(on connection: Connection) async throws -> [FormEvent] {
        guard let after = try await Self.read([formID], on: connection).first else { return [] }
        let events = eventsByClock + state.events(to: after.state, byClock: false)
        try await Self.notify([(self, events)], on: connection)
        if after.state == .closed || after.state == .final { try await Self.releaseRest(of: formID, on: connection) }
        if after.state == .scheduled || after.state == .open { try await reopen(on: connection) }
        if after.state.notified != notified {
            try await connection.execute(
                "UPDATE form_state SET notified = \(after.state.notified.rawValue) WHERE form_id = \(formID)")
        }
        try await connection.query(IngestStatement.notification(formID))
        return events
    }

    /// Marks an anonymous form as reopened if some of its results were released, because its groups could be compared
    /// with the earlier ones. A form without released results starts again from zero.
    private func reopen(on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE form_state AS fs SET settled = false,
                reopened = fs.reopened OR fs.anonymous AND (fs.submissions > 0 OR EXISTS (
                    SELECT FROM tally t WHERE t.form_id = \(formID) AND t.shown > 0))
            WHERE fs.form_id = \(formID) AND (fs.settled OR \(state == .closed))
            """)
    }

    /// Releases the counts that a close releases, for a form with a minimum group that is closed by the clock read
    /// under its lock.
    ///
    /// Readers don't do this by their own clock: a submission accepted just in time may still be in flight, and would
    /// be released alone.
    static func releaseRest(of formID: UUID, on connection: Connection) async throws {
        try await connection.query("SELECT advance_release(\(formID), true)")
    }

    /// Records the events of several forms, those of each form in their order.
    static func notify(_ forms: [(form: FormStatus, events: [FormEvent])], on connection: Connection) async throws {
        for turn in 0..<(forms.map(\.events.count).max() ?? 0) {
            for (event, kind) in [(Event.formOpened, FormEvent.opened), (.formClosed, .closed)] {
                let meetings = forms.filter { $0.events.count > turn && $0.events[turn] == kind }.map(\.form.meetingID)
                if !meetings.isEmpty { try await Events.record(event, of: meetings, on: connection) }
            }
        }
    }
}

extension IngestStatement {
    /// Notifies of a change to the form of a meeting, because its results contain attendance and head count.
    static func notification(ofMeeting meetingID: UUID) -> Statement {
        "SELECT pg_notify(\(FormChannel.name), f.id::text) FROM form f WHERE f.meeting_id = \(meetingID)"
    }
}
