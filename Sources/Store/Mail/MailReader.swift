import Domain
import Foundation
import Postgres

/// An account for which a mail about results is written when it is sent.
public struct MailReader: Sendable {
    /// May read meetings and results of the account's series, also if the account is an admin's.
    public var principal: Principal
    /// The language that the account has chosen.
    public var locale: String?

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
