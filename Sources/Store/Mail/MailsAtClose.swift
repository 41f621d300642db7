import Domain
import Foundation
import Postgres

/// Mails the results of a meeting to its hosts when the form closes, if their accounts ask for it.
///
/// The outbox gets the account and the meeting only. The mail is written when it is sent, with the rights that the
/// account has then: a co-host who was removed in the meantime gets nothing, and no result waits in the outbox.
public struct MailsAtClose: Sendable {
    static let kind = "results-closed"
    /// The maximum number of mails about one form to one account within a day. A form that is reopened and closed again
    /// is mailed again, because its results may have changed.
    static let dailyLimit = 3
    /// The maximum number of mails about meetings of others to one account within a day. Others can make it a co-host of
    /// their series.
    static let accountLimit = 20
    /// The maximum number of mails about an account's own meetings within a day.
    static let ownLimit = 100

    let pool: Pool

    /// Adds a mail for each host and co-host of the meetings whose account asks for it. Meetings in the trash cause none.
    static func enqueue(of meetingIDs: [UUID], on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT m.id, a.id, a.email::text, a.id = s.owner_id
            FROM meeting m JOIN series s ON s.id = m.series_id
                JOIN (SELECT id AS series_id, owner_id AS account_id FROM series
                    UNION ALL SELECT series_id, account_id FROM series_host) h ON h.series_id = s.id
                JOIN account a ON a.id = h.account_id
            WHERE m.id = ANY (\(meetingIDs)) AND m.deleted_at IS NULL AND s.deleted_at IS NULL AND a.mails_at_close
                AND a.disabled_at IS NULL
            ORDER BY m.id, a.id
            """)
        guard !rows.isEmpty else { return }
        let mails = try rows.map { try $0.decode(UUID.self, UUID.self, String.self, Bool.self) }
        try await connection.execute(
            """
            INSERT INTO outbox (id, kind, recipient, subject, body, bulk, meeting_id, account_id)
            SELECT u.id, \(kind), u.recipient, '', '', true, u.meeting_id, u.account_id
            FROM (SELECT m.*, row_number() OVER (PARTITION BY account_id, is_own ORDER BY id) AS ordinal
                    FROM unnest(\(mails.map { _ in UUIDv7.make() }), \(mails.map(\.2)), \(mails.map(\.0)),
                        \(mails.map(\.1)), \(mails.map(\.3))) AS m (id, recipient, meeting_id, account_id, is_own)) u
                LEFT JOIN (SELECT meeting_id, account_id, count(*) AS count FROM outbox
                    WHERE meeting_id = ANY (\(meetingIDs)) AND created_at > now() - interval '1 day'
                    GROUP BY meeting_id, account_id) o
                ON o.meeting_id = u.meeting_id AND o.account_id = u.account_id
                LEFT JOIN (SELECT b.account_id, b.account_id IS NOT DISTINCT FROM s.owner_id AS is_own,
                        count(*) AS count
                    FROM outbox b LEFT JOIN meeting m ON m.id = b.meeting_id LEFT JOIN series s ON s.id = m.series_id
                    WHERE b.account_id = ANY (\(mails.map(\.1))) AND b.meeting_id IS NOT NULL
                        AND b.created_at > now() - interval '1 day'
                    GROUP BY b.account_id, b.account_id IS NOT DISTINCT FROM s.owner_id) a
                ON a.account_id = u.account_id AND a.is_own = u.is_own
            WHERE coalesce(o.count, 0) < \(dailyLimit)
                AND coalesce(a.count, 0) + u.ordinal <= CASE WHEN u.is_own THEN \(ownLimit) ELSE \(accountLimit) END
            ON CONFLICT (meeting_id, account_id) WHERE sent_at IS NULL AND failed_at IS NULL DO NOTHING
            """)
    }

    /// The account for which a mail is written now. Nil if it was disabled or deleted, or no longer asks for mails.
    public func reader(_ accountID: UUID) async throws -> MailReader? {
        try await MailReader.find(accountID, if: "a.mails_at_close", in: pool)
    }
}
