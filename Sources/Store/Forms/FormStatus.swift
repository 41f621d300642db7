import Domain
import Foundation
import Postgres

/// Where a form stands in its life, and what others were told of that.
struct FormStatus: Sendable {
    var formID: UUID
    var meetingID: UUID
    var notified: FormState
    var isTrashed: Bool
    var life: FormLife
    /// The database's clock at the reading.
    var now: Date

    var state: FormState { life.state(at: now) }

    /// What time did since something was told.
    var eventsByClock: [FormEvent] { notified.events(to: state, byClock: true) }

    /// Locks the state of a form, where submissions wait, and reads it by the clock after the lock; nil in the trash.
    static func lock(_ formID: UUID, on connection: Connection) async throws -> FormStatus? {
        let locked = try await connection.query(
            "SELECT 1 FROM form_state WHERE form_id = \(formID) AND NOT trashed FOR UPDATE")
        return locked.isEmpty ? nil : try await read([formID], on: connection).first
    }

    /// One statement a form, so that each asks one place of a distributed database, and control tables may be written
    /// after it.
    static func read(_ formIDs: [UUID], on connection: Connection) async throws -> [FormStatus] {
        let answers = try await connection.pipeline(
            formIDs.map { id in
                """
                SELECT fs.form_id, f.meeting_id, fs.told, fs.trashed, fs.state, fs.opens_at, fs.closes_at,
                    fs.grace_minutes, clock_timestamp()
                FROM form_state fs JOIN form f ON f.id = fs.form_id WHERE fs.form_id = \(id)
                """
            })
        return try answers.joined().map { row in
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

    /// Once an act has changed the form under its lock: tells what time had done to it before, then what the act did,
    /// and has those who look on look again. Returns what was told.
    @discardableResult
    func settle(on connection: Connection) async throws -> [FormEvent] {
        guard let after = try await Self.read([formID], on: connection).first else { return [] }
        let events = eventsByClock + state.events(to: after.state, byClock: false)
        try await Self.notify([(self, events)], on: connection)
        if after.state == .closed || after.state == .final { try await Self.showRest(of: formID, on: connection) }
        if after.state == .scheduled || after.state == .open { try await reopen(on: connection) }
        if after.state.notified != notified {
            try await connection.execute(
                "UPDATE form_state SET told = \(after.state.notified.rawValue) WHERE form_id = \(formID)")
        }
        try await connection.query(IngestStatement.notification(formID))
        return events
    }

    /// Remembers of an anonymous form that takes answers again that something of it was shown: its groups could be compared
    /// with those of before. Of one of which there was nothing to see it begins anew.
    private func reopen(on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE form_state AS fs SET settled = false,
                reopened = fs.reopened OR fs.anonymous AND (fs.submissions > 0 OR EXISTS (
                    SELECT FROM tally t WHERE t.form_id = \(formID) AND t.shown > 0))
            WHERE fs.form_id = \(formID) AND (fs.settled OR \(state == .closed))
            """)
    }

    /// Lets out what a close does, of a form with a minimum group that is closed by the clock read under its lock.
    ///
    /// Whoever reads looks at no clock: a submission that was taken just in time may still be on its way, and would
    /// come out alone.
    static func showRest(of formID: UUID, on connection: Connection) async throws {
        try await connection.query("SELECT move_shown(\(formID), true)")
    }

    /// Records the news of some forms, each form's in their order.
    static func notify(_ all: [(form: FormStatus, events: [FormEvent])], on connection: Connection) async throws {
        for turn in 0..<(all.map(\.events.count).max() ?? 0) {
            for (event, kind) in [(Event.formOpened, FormEvent.opened), (.formClosed, .closed)] {
                let meetings = all.filter { $0.events.count > turn && $0.events[turn] == kind }.map(\.form.meetingID)
                if !meetings.isEmpty { try await Events.record(event, of: meetings, on: connection) }
            }
        }
    }
}

extension IngestStatement {
    /// The same for the form of a meeting, whose attendance and head count stand in its results.
    static func notification(ofMeeting meetingID: UUID) -> Statement {
        "SELECT pg_notify(\(FormChannel.name), f.id::text) FROM form f WHERE f.meeting_id = \(meetingID)"
    }
}
