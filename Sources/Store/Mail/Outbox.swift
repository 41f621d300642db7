import Domain
import Foundation
import Postgres

/// The queue of outgoing mail. Each mail is written in the transaction that causes it.
public struct Outbox: Sendable {
    /// The delays and time limits of sending, in seconds.
    enum Schedule {
        static let firstDelay: TimeInterval = 60
        static let maxDelay: TimeInterval = 4 * 3600
        static let givenUpAfter: TimeInterval = 3 * 86_400
        /// The time after which a mail can be claimed again, if the instance that claimed it was killed. It is longer
        /// than any single try.
        static let lease: TimeInterval = 300
        /// The time after which a mail that was sent or given up is deleted.
        static let retention: TimeInterval = 7 * 86_400
    }

    /// A part of the queue.
    public enum Part: Sendable {
        case all
        /// Mails whose text is stored.
        case stored
        /// Mails that are written when they are sent.
        case unwritten

        var condition: Statement {
            switch self {
            case .all: "true"
            case .stored: "account_id IS NULL"
            case .unwritten: "account_id IS NOT NULL"
            }
        }
    }

    /// What a mail is written from when it is sent.
    public struct Source: Sendable, Equatable {
        public var accountID: UUID
        /// The meeting whose results are mailed. Nil for the digest of an account.
        public var meetingID: UUID?
        public var createdAt: Date
    }

    /// A claimed mail. It cannot be claimed again until the lease expires.
    public struct Mail: Sendable, Equatable {
        public var id: UUID
        /// Without a text if the mail has a source.
        public var letter: Letter
        public var recipient: String
        public var createdAt: Date
        /// The number of tries, including this one.
        public var tries: Int
        /// Nil for a mail whose text is stored.
        public var source: Source?
    }

    /// The number of mails that are waiting, and of those that were given up within the last week.
    public typealias Counts = (waiting: Int, failed: Int)

    let pool: Pool

    /// Enqueues a mail. It is sent only if the transaction of `connection` commits, and not before `delay` seconds have
    /// passed.
    static func enqueue(
        _ letter: Letter, to recipient: EmailAddress, after delay: TimeInterval = 0, on connection: Connection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO outbox (id, kind, recipient, subject, body, bulk, next_try_at, expires_at)
            VALUES (\(UUIDv7.make()), \(letter.kind), \(recipient.text), \(letter.subject), \(letter.body),
                \(letter.isBulk), now() + make_interval(secs => \(delay)),
                now() + make_interval(secs => \(letter.lifetime.map(Double.init))))
            """)
    }

    /// Deletes mails of this kind that have become unnecessary, except those whose first try has started.
    static func withdraw(_ kind: String, to recipient: EmailAddress, on connection: Connection) async throws {
        try await connection.execute(
            """
            DELETE FROM outbox WHERE recipient = \(recipient.text) AND kind = \(kind) AND tries = 0
                AND sent_at IS NULL AND failed_at IS NULL
            """)
    }

    /// Claims the mail that has been due for the longest time. Returns nil if no mail is due. Mails about accounts are
    /// claimed before bulk mail. A due mail whose link has expired is given up.
    public func claim(_ part: Part = .all) async throws -> Mail? {
        let rows = try await pool.query(
            """
            WITH expired AS (
                UPDATE outbox SET failed_at = now(), subject = NULL, body = NULL,
                    last_error = coalesce(last_error || '; ', '') || 'its link has expired'
                WHERE sent_at IS NULL AND failed_at IS NULL AND next_try_at <= now() AND expires_at <= now())
            UPDATE outbox SET tries = tries + 1,
                next_try_at = clock_timestamp() + make_interval(secs => \(Schedule.lease))
            WHERE id = (
                SELECT id FROM outbox
                WHERE sent_at IS NULL AND failed_at IS NULL AND next_try_at <= statement_timestamp()
                    AND (expires_at IS NULL OR expires_at > now()) AND \(fragment: part.condition)
                ORDER BY bulk, next_try_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING id, kind, subject, body, recipient, created_at, tries, account_id, meeting_id
            """)
        guard let row = rows.first else { return nil }
        var columns = Columns(row)
        var mail = Mail(
            id: try columns.next(),
            letter: Letter(kind: try columns.next(), subject: try columns.next(), body: try columns.next()),
            recipient: try columns.next(), createdAt: try columns.next(), tries: try columns.next())
        let (accountID, meetingID): (UUID?, UUID?) = (try columns.next(), try columns.next())
        if let accountID {
            mail.source = Source(accountID: accountID, meetingID: meetingID, createdAt: mail.createdAt)
        }
        return mail
    }

    /// Deletes a claimed mail that is no longer to be sent.
    public func discard(_ mail: Mail) async throws {
        try await pool.execute("DELETE FROM outbox WHERE id = \(mail.id) AND sent_at IS NULL AND failed_at IS NULL")
    }

    /// Records that the mail was sent, and deletes its text. A letter that leaves no trace is deleted completely.
    public func succeeded(_ mail: Mail) async throws {
        if mail.letter.leavesNoTrace {
            try await pool.execute("DELETE FROM outbox WHERE id = \(mail.id)")
            return
        }
        try await pool.execute(
            """
            UPDATE outbox SET sent_at = clock_timestamp(), subject = NULL, body = NULL, last_error = NULL
            WHERE id = \(mail.id) AND sent_at IS NULL AND failed_at IS NULL
            """)
    }

    /// Records a failure. The next try follows after one minute, then after two, four and so on, up to four hours. The
    /// mail is given up three days after it was written, or when its link expires.
    ///
    /// If a letter that leaves no trace is given up, its row remains, without the address, the text and the reason.
    ///
    /// - Parameters:
    ///   - reason: The reason in one line, without text from the mail.
    ///   - isFinal: Whether no further try can succeed. The mail is then given up immediately.
    public func failed(_ mail: Mail, reason: String, isFinal: Bool = false) async throws {
        let leavesNoTrace = mail.letter.leavesNoTrace
        let delay = Schedule.firstDelay * pow(2, Double(min(mail.tries, 20) - 1))
        try await pool.execute(
            """
            WITH attempt AS (
                SELECT \(isFinal) OR created_at + make_interval(secs => \(Schedule.givenUpAfter)) <= clock_timestamp()
                    AS given_up
                FROM outbox WHERE id = \(mail.id))
            UPDATE outbox SET last_error = CASE WHEN NOT given_up OR NOT \(leavesNoTrace) THEN \(reason) END,
                recipient = CASE WHEN given_up AND \(leavesNoTrace) THEN '' ELSE recipient END,
                next_try_at = least(
                    clock_timestamp() + make_interval(secs => \(min(delay, Schedule.maxDelay))), expires_at),
                failed_at = CASE WHEN given_up THEN clock_timestamp() END,
                subject = CASE WHEN NOT given_up THEN subject END, body = CASE WHEN NOT given_up THEN body END
            FROM attempt WHERE id = \(mail.id) AND sent_at IS NULL AND failed_at IS NULL
            """)
    }

    public func counts() async throws -> Counts {
        try await pool.withConnection { try await Self.counts(on: $0) }
    }

    /// Returns the counts of a migrated database for which there is no open store.
    public static func counts(url: String) async throws -> Counts {
        try await Connection.with(PostgresConfiguration(url: url)) { try await counts(on: $0) }
    }

    private static func counts(on connection: Connection) async throws -> Counts {
        let rows = try await connection.query(
            """
            SELECT count(*) FILTER (WHERE sent_at IS NULL AND failed_at IS NULL),
                count(*) FILTER (WHERE failed_at IS NOT NULL)
            FROM outbox
            """)
        let (waiting, failed) = try rows.single().decode(Int.self, Int.self)
        return (waiting, failed)
    }

    /// Statements of the sweep. They delete mails that were sent or given up more than a week ago, and the daily counts
    /// of mailed links for the days before yesterday.
    static var sweeps: [(name: String, statement: Statement)] {
        [
            ("daily_mail_count", "DELETE FROM daily_mail_count WHERE day < (now() AT TIME ZONE 'UTC')::date - 1"),
            (
                "outbox",
                """
                DELETE FROM outbox
                WHERE coalesce(sent_at, failed_at) < now() - make_interval(secs => \(Schedule.retention))
                """
            ),
        ]
    }
}
