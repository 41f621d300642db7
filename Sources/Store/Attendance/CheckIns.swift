import Domain
import Foundation
import Postgres

/// A meeting as shown to people who have its check-in code, without its attendee list.
public struct CheckInMeeting: Sendable {
    public var meetingID: UUID
    public var title: String
    public var series: String
    public var timeZone: String
    public var place: String?
    public var window: CheckInWindow
    public var formCode: String
    var formLife: FormLife
    /// The database's clock at the time of reading.
    public var now: Date
    var seriesID: UUID

    public var state: CheckInWindow.State { window.state(at: now) }
    public var formState: FormState { formLife.state(at: now) }

    static func read(_ row: Row) throws -> CheckInMeeting {
        var columns = Columns(row)
        return CheckInMeeting(
            meetingID: try columns.next(), title: try columns.next(), series: try columns.next(),
            timeZone: try columns.next(), place: try columns.next(),
            window: CheckInWindow(
                startsAt: try columns.next(), endsAt: try columns.next(), lateAfterMinutes: try columns.next()),
            formCode: try columns.next(), formLife: try FormLife.read(&columns), now: try columns.next(),
            seriesID: try columns.next())
    }
}

/// The result of a check-in.
public struct CheckIn: Sendable {
    public var status: AttendanceStatus
    public var checkedInAt: Date
    public var meeting: CheckInMeeting
    /// Whether the address was already checked in before this request.
    public var isRepeated: Bool
}

/// Check-ins with a meeting's check-in code.
public struct CheckIns: Sendable {
    let pool: Pool

    /// Returns the meeting with this check-in code. Throws 404 for a code that is unknown or belongs to a meeting in
    /// the trash.
    public func find(code: String) async throws -> CheckInMeeting {
        guard FormCode.isPlausible(code) else { throw Problem(.notFound) }
        let rows = try await pool.query(
            """
            SELECT m.id, m.title, s.title, m.time_zone, m.place, m.starts_at, m.ends_at, m.late_after_minutes, f.code,
                fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes, clock_timestamp(), m.series_id
            FROM meeting m JOIN series s ON s.id = m.series_id JOIN form f ON f.meeting_id = m.id
                JOIN form_state fs ON fs.form_id = f.id
            WHERE m.check_in_code = \(code) AND m.deleted_at IS NULL
            """)
        return try CheckInMeeting.read(rows.requireFirst())
    }

    /// Checks a person in, once per address even if several requests arrive at the same time. A repeated check-in gets
    /// the result of the first one. Outside the check-in window all get the same refusal, because the code would
    /// otherwise show who attended.
    ///
    /// Throws `checkInFull` for a person who is not on the list when the limit of walk-ins is reached.
    ///
    /// A person whom the host has added keeps the name that the host entered, even after being removed from the list.
    public func checkIn(_ name: PersonName, _ email: EmailAddress, code: String) async throws -> CheckIn {
        let meeting = try await find(code: code)
        switch meeting.state {
        case .early: throw Problem(.checkInNotOpen, "Check-in opens an hour before the start.")
        case .over: throw Problem(.checkInOver)
        case .open: break
        }
        // If a host removes the person between `insert` and `existingCheckIn`, the address is new again, and `insert`
        // succeeds in the next attempt.
        for _ in 0..<5 {
            if let checkIn = try await insert(name, email, meeting) { return checkIn }
            if let existing = try await existingCheckIn(email, meeting) { return existing }
        }
        throw Problem(.overloaded, retryAfter: 1)
    }

    /// Returns nil if the address has already checked in.
    ///
    /// The row of `person` is inserted before that of `attendee`, as in every other action, so that transactions do not
    /// deadlock.
    private func insert(_ name: PersonName, _ email: EmailAddress, _ meeting: CheckInMeeting) async throws -> CheckIn? {
        try await pool.transaction { connection in
            try await WalkIns.admit(email, to: meeting.meetingID, on: connection)
            let inserted = try await connection.pipeline([
                Person.insertion([email], in: meeting.seriesID),
                """
                INSERT INTO attendee AS a (id, meeting_id, name, email, status, checked_in_at, walk_in)
                VALUES (\(UUIDv7.make()), \(meeting.meetingID), \(name.text), \(email.text)::citext,
                    \(meeting.window.status(at: meeting.now).rawValue), \(meeting.now), true)
                ON CONFLICT (meeting_id, email) DO UPDATE
                SET status = excluded.status, checked_in_at = excluded.checked_in_at, removed_at = NULL,
                    walk_in = a.walk_in OR a.removed_at IS NOT NULL
                WHERE a.status = 'expected' OR a.removed_at IS NOT NULL
                RETURNING a.status, a.checked_in_at, a.id
                """,
            ])
            guard let row = inserted[1].first else { return nil }
            let checkIn = try CheckIn(row, meeting, isRepeated: false)
            // Results contain the attendance, so their viewers are notified.
            try await connection.query(IngestStatement.notification(ofMeeting: meeting.meetingID))
            try await Events.record(
                checkIn: try row.decode(UUID.self, at: 2), checkIn.status.rawValue, in: meeting.meetingID,
                on: connection)
            return checkIn
        }
    }

    private func existingCheckIn(_ email: EmailAddress, _ meeting: CheckInMeeting) async throws -> CheckIn? {
        let rows = try await pool.query(
            """
            SELECT status, coalesce(checked_in_at, created_at) FROM listed_attendee
            WHERE meeting_id = \(meeting.meetingID) AND email = \(email.text)::citext AND status <> 'expected'
            """)
        return try rows.first.map { try CheckIn($0, meeting, isRepeated: true) }
    }
}

extension CheckIn {
    init(_ row: Row, _ meeting: CheckInMeeting, isRepeated: Bool) throws {
        let (status, at) = (try row.decode(String.self, at: 0), try row.decode(Date.self, at: 1))
        self.init(
            status: AttendanceStatus(rawValue: status) ?? .present, checkedInAt: at, meeting: meeting,
            isRepeated: isRepeated)
    }
}
