import Domain
import Foundation
import Postgres

/// An account for which a mail about results is written when it is sent.
public struct MailReader: Sendable {
    /// May read meetings and results of the account's series, also if the account is an admin's.
    public var principal: Principal
    /// The language that the account has chosen.
    public var locale: String?

    /// The name and the address of the owner of a meeting's series; nil if the account is the owner.
    ///
    /// A mail about a series of another account says whose it is, because the owner has written its titles.
    public static func owner(ofMeeting id: UUID, unless accountID: UUID, in store: Store) async throws -> String? {
        let rows = try await store.pool.query(
            """
            SELECT a.name, a.email::text FROM meeting m JOIN series s ON s.id = m.series_id
                JOIN account a ON a.id = s.owner_id
            WHERE m.id = \(id) AND a.id <> \(accountID)
            """)
        return try rows.first.map { row in
            let (name, email) = try row.decode(String.self, String.self)
            return "\(name) <\(email)>"
        }
    }

    /// Nil if the account was disabled or deleted, or no longer asks for the mail.
    ///
    /// - Parameter condition: Whether `account a` asks for the mail.
    static func find(_ accountID: UUID, if condition: Statement, in pool: Pool) async throws -> MailReader? {
        let rows = try await pool.query(
            """
            SELECT a.id, a.email::text, a.name, a.role, a.disabled_at, a.created_at, a.locale, a.time_zone, now()
            FROM account a
            WHERE a.id = \(accountID) AND \(fragment: condition) AND a.disabled_at IS NULL AND a.deleted_at IS NULL
            """)
        return try rows.first.map { row in
            let principal = Principal(
                account: try Accounts.account(row), tokenID: accountID, scopes: [.readMeetings, .readResults],
                expiresAt: try row.decode(Date.self, at: 8), timeZone: try row.decode(String?.self, at: 7))
            return MailReader(principal: principal, locale: try row.decode(String?.self, at: 6))
        }
    }
}
