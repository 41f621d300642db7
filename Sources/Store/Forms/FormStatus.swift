import Domain
import Foundation
import Postgres

/// A form's current state, and the state for which events were last recorded.
struct FormStatus: Sendable {
    var formID: UUID
    var meetingID: UUID
    var notified: FormState
    var isTrashed: Bool
    var life: FormLife
    /// The database's clock at the time of reading.
    var now: Date

    var state: FormState { life.state(at: now) }

    /// The events that the passing of time has caused since events were last recorded.
    var eventsByClock: [FormEvent] { notified.events(to: state, byClock: true) }

    /// Locks the state of a form, so that submissions wait. Reads the state and the time after the lock was acquired.
    /// Returns nil for a form in the trash.
    static func lock(_ formID: UUID, on connection: Connection) async throws -> FormStatus? {
        let locked = try await connection.query(
            "SELECT 1 FROM form_state WHERE form_id = \(formID) AND NOT trashed FOR UPDATE")
        return locked.isEmpty ? nil : try await read([formID], on: connection).first
    }

    /// Reads states with one statement per form. On a distributed database, each statement then needs only one node,
    /// and control tables can still be written afterwards.
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
                life: try FormLife.read(&columns),
                now: try columns.next())
        }
    }

    /// Records events after an action has changed the form under its lock, and returns them: first the events that the
    /// passing of time caused before the action, then those of the action itself. Also notifies viewers.
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

    /// Marks a form that was settled or closed as not settled. An anonymous form with submissions or released counts is
    /// also marked as reopened, because later results could be compared with the earlier ones. Without either, the form
    /// starts again from zero.
    private func reopen(on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE form_state AS fs SET settled = false,
                reopened = fs.reopened OR fs.anonymous AND (fs.submissions > 0 OR EXISTS (
                    SELECT FROM tally t WHERE t.form_id = \(formID) AND t.shown > 0))
            WHERE fs.form_id = \(formID) AND (fs.settled OR \(state == .closed))
            """)
    }

    /// Releases the remaining counts of a closed form with a minimum group. The caller must have locked the form and
    /// then read that it is closed.
    ///
    /// A reader must not conclude from the time of its request that the form is closed. A submission that was accepted
    /// just before the close may not be committed yet, and would be released separately.
    static func releaseRest(of formID: UUID, on connection: Connection) async throws {
        try await connection.query("SELECT advance_release(\(formID), true)")
    }

    /// Records the events of several forms, in the order of each form's events, and mails about those that closed.
    static func notify(_ forms: [(form: FormStatus, events: [FormEvent])], on connection: Connection) async throws {
        for turn in 0..<(forms.map(\.events.count).max() ?? 0) {
            for (event, kind) in [(Event.formOpened, FormEvent.opened), (.formClosed, .closed)] {
                let meetings = forms.filter { $0.events.count > turn && $0.events[turn] == kind }.map(\.form.meetingID)
                guard !meetings.isEmpty else { continue }
                try await Events.record(event, of: meetings, on: connection)
                if kind == .closed { try await MailsAtClose.enqueue(of: meetings, on: connection) }
            }
        }
    }
}

extension IngestStatement {
    /// A statement that notifies viewers of changed results of a meeting's form. Results contain the attendance and the
    /// head count.
    static func notification(ofMeeting meetingID: UUID) -> Statement {
        "SELECT pg_notify(\(FormChannel.name), f.id::text) FROM form f WHERE f.meeting_id = \(meetingID)"
    }
}
