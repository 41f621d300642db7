import Domain
import Foundation
import Postgres

/// A meeting with its series, form and counters, read as one row.
public struct Meeting: Sendable {
    public var id: UUID
    public var seriesID: UUID
    /// The title of the series.
    public var series: String
    public var hostID: UUID
    /// The name of the host.
    public var host: String
    public var round: Int
    public var title: String
    public var startsAt: Date?
    public var endsAt: Date?
    public var timeZone: String
    /// The day of the start in the meeting's time zone, `2026-11-21`.
    public var localDate: String?
    public var place: String?
    public var headcount: Int?
    public var lateAfterMinutes: Int
    public var allowOverlap: Bool
    /// The code of the page `/c/{code}`.
    public var checkInCode: String
    public var revision: Int
    public var createdAt: Date
    public var deletedAt: Date?
    /// When the meeting is deleted permanently; nil unless it is in the trash.
    public var purgesAt: Date?
    public var hasImage: Bool
    public var present: Int
    public var late: Int
    /// The number of expected people who have not checked in. After the meeting has ended, they count as absent.
    public var unseen: Int
    public var form: FormSummary
    /// The database's clock at the time of reading.
    public var now: Date

    public var attended: Int { present + late }

    /// `upcoming`, `running` or `ended`; nil for an undated meeting.
    public var phase: String? {
        guard let startsAt, let endsAt else { return nil }
        return now < startsAt ? "upcoming" : now < endsAt ? "running" : "ended"
    }

    /// Selects the columns of a meeting, followed by the `extra` columns. The tables are `meeting m`, `series s`,
    /// `account h` (the host), `form f` and `form_state fs`.
    static func select(_ extra: Statement = "") -> Statement {
        """
        SELECT m.id, m.series_id, s.title, m.host_id, h.name, m.round, m.title, m.starts_at, m.ends_at, m.time_zone,
            to_char(m.starts_at AT TIME ZONE m.time_zone, 'YYYY-MM-DD'), m.place, m.headcount, m.late_after_minutes,
            m.allow_overlap, m.check_in_code, m.revision, m.created_at, m.deleted_at, m.purges_at,
            EXISTS (SELECT FROM meeting_image i WHERE i.meeting_id = m.id),
            (SELECT count(*) FROM listed_attendee a WHERE a.meeting_id = m.id AND a.status = 'present'),
            (SELECT count(*) FROM listed_attendee a WHERE a.meeting_id = m.id AND a.status = 'late'),
            (SELECT count(*) FROM listed_attendee a WHERE a.meeting_id = m.id AND a.status = 'expected'),
            f.id, f.code, f.join_code, f.version, fs.anonymous, fs.once_only, fs.state, fs.opens_at, fs.closes_at,
            fs.grace_minutes, fs.submissions, fs.revision, fs.answers_expired_at, clock_timestamp()\(fragment: extra)
        FROM meeting m
        JOIN series s ON s.id = m.series_id
        JOIN account h ON h.id = m.host_id
        JOIN form f ON f.meeting_id = m.id
        JOIN form_state fs ON fs.form_id = f.id
        """
    }

    /// The number of columns that `select` returns before the `extra` ones.
    static let columnCount = 38

    static func read(_ row: Row) throws -> Meeting {
        var columns = Columns(row)
        return try read(&columns)
    }

    static func read(_ columns: inout Columns) throws -> Meeting {
        Meeting(
            id: try columns.next(), seriesID: try columns.next(), series: try columns.next(),
            hostID: try columns.next(), host: try columns.next(), round: try columns.next(),
            title: try columns.next(), startsAt: try columns.next(), endsAt: try columns.next(),
            timeZone: try columns.next(), localDate: try columns.next(), place: try columns.next(),
            headcount: try columns.next(), lateAfterMinutes: try columns.next(), allowOverlap: try columns.next(),
            checkInCode: try columns.next(), revision: try columns.next(), createdAt: try columns.next(),
            deletedAt: try columns.next(), purgesAt: try columns.next(), hasImage: try columns.next(),
            present: try columns.next(), late: try columns.next(), unseen: try columns.next(),
            form: try FormSummary.read(&columns), now: try columns.next())
    }
}

/// A summary of a meeting's form.
public struct FormSummary: Sendable {
    public var id: UUID
    public var code: String
    public var joinCode: String
    public var version: Int
    public var anonymous: Bool
    public var onceOnly: Bool
    public var life: FormLife
    public var submissions: Int
    public var resultsRevision: Int
    /// When the answers were deleted at the end of their retention; nil if they are stored. The counts stay.
    public var answersExpiredAt: Date?

    public func state(at now: Date) -> FormState { life.state(at: now) }

    /// Whether submissions are no longer linked to receipts: the form is anonymous, and final or being finalised.
    public var isUnlinked: Bool { anonymous && life.isFinished }

    static func read(_ columns: inout Columns) throws -> FormSummary {
        FormSummary(
            id: try columns.next(), code: try columns.next(), joinCode: try columns.next(),
            version: try columns.next(), anonymous: try columns.next(), onceOnly: try columns.next(),
            life: try FormLife.read(&columns), submissions: try columns.next(),
            resultsRevision: try columns.next(), answersExpiredAt: try columns.next())
    }

    /// Throws 410 if the answers were deleted at the end of their retention.
    public func requireAnswers() throws(Problem) {
        if answersExpiredAt != nil { throw Problem(.answersDeleted) }
    }
}

extension FormLife {
    /// Reads `state`, `opens_at`, `closes_at` and `grace_minutes` of `form_state`.
    static func read(_ columns: inout Columns) throws -> FormLife {
        FormLife(
            stored: Stored(rawValue: try columns.next()) ?? .draft, opensAt: try columns.next(),
            closesAt: try columns.next(), graceMinutes: try columns.next())
    }
}
