import Domain
import Foundation
import Postgres

/// Mails accounts that ask for it once a week about their meetings: on Monday, after seven o'clock in the account's time
/// zone. Like the mails at a close, a digest is written when it is sent.
public struct WeeklyDigests: Sendable {
    static let kind = "weekly-digest"

    /// The meetings of a digest.
    public struct Week: Sendable {
        /// Their forms closed within the week, in the order of their ends.
        public var closed: [UUID]
        /// Their forms are open, those that opened first at the beginning.
        public var open: [UUID]
    }

    let pool: Pool

    /// The next Monday at seven in the account's time zone.
    private static let nextMonday: Statement = """
        (date_trunc('week', now() AT TIME ZONE coalesce(time_zone, 'UTC')) + interval '7 days 7 hours')
            AT TIME ZONE coalesce(time_zone, 'UTC')
        """

    /// Plans the first digest of an account that has turned digests on, or none for one that has turned them off.
    static func plan(for accountID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            "UPDATE account SET digest_due_at = NULL WHERE id = \(accountID) AND NOT weekly_digest")
        try await connection.execute(
            """
            UPDATE account SET digest_due_at = \(fragment: nextMonday)
            WHERE id = \(accountID) AND weekly_digest AND digest_due_at IS NULL
            """)
    }

    /// Adds a mail for each account whose digest is due. After a longer pause of the service, an account gets one.
    /// Several instances may call it at the same time.
    public func enqueueDue() async throws {
        try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                UPDATE account SET digest_due_at = \(fragment: Self.nextMonday)
                WHERE weekly_digest AND digest_due_at <= now() AND disabled_at IS NULL RETURNING id, email::text
                """)
            let mails = try rows.map { try $0.decode(UUID.self, String.self) }
            guard !mails.isEmpty else { return }
            try await connection.execute(
                """
                INSERT INTO outbox (id, kind, recipient, subject, body, bulk, account_id)
                SELECT u.id, \(Self.kind), u.recipient, '', '', true, u.account_id
                FROM unnest(\(mails.map { _ in UUIDv7.make() }), \(mails.map(\.1)), \(mails.map(\.0)))
                    AS u (id, recipient, account_id)
                """)
        }
    }

    /// The account for which a digest is written now. Nil if it was disabled or deleted, or no longer asks for digests.
    public func reader(_ accountID: UUID) async throws -> MailReader? {
        try await MailReader.find(accountID, if: "a.weekly_digest", in: pool)
    }

    /// The meetings of the account's own and shared series whose forms closed in the seven days before `end`, or are
    /// open.
    public func week(of accountID: UUID, before end: Date) async throws -> Week {
        let start = end.addingTimeInterval(-7 * 86_400)
        let rows = try await pool.query(
            """
            SELECT m.id, fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes, fs.closed_at, now()
            FROM meeting m JOIN series s ON s.id = m.series_id JOIN form f ON f.meeting_id = m.id
                JOIN form_state fs ON fs.form_id = f.id
            WHERE \(fragment: Access.isVisible(to: accountID)) AND m.deleted_at IS NULL AND s.deleted_at IS NULL
                AND (fs.state <> 'draft' AND fs.closed_at >= \(start) OR fs.state = 'open'
                    AND (fs.closes_at IS NULL OR fs.closes_at + make_interval(mins => fs.grace_minutes) >= \(start)))
            ORDER BY m.id
            """)
        var (closed, open): ([(Date, UUID)], [UUID]) = ([], [])
        for row in rows {
            var columns = Columns(row)
            let id: UUID = try columns.next()
            let life = try FormLife.read(&columns)
            let (closedAt, now): (Date?, Date) = (try columns.next(), try columns.next())
            switch life.state(at: now) {
            case .open: open.append(id)
            case .closed, .final:
                let at = life.stored == .open ? life.endsAt : closedAt
                if let at, at >= start, at < end { closed.append((at, id)) }
            case .draft, .scheduled: break
            }
        }
        return Week(closed: closed.sorted { $0.0 < $1.0 }.map(\.1), open: open)
    }
}
