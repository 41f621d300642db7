import Foundation
import Postgres

/// An account with its own settings.
public struct Profile: Sendable {
    public var account: Account
    /// A language tag.
    public var locale: String?
    /// An IANA name.
    public var timeZone: String?
    /// Counts the edits, by their owner and by admins.
    public var revision: Int
    /// When its person left; the row stays without them, because acts and meetings name it.
    public var deletedAt: Date?
    public var hasPicture: Bool

    static let select: Statement = """
        SELECT a.id, a.email::text, a.name, a.role, a.disabled_at, a.created_at, a.locale, a.time_zone, a.revision,
            a.deleted_at, EXISTS (SELECT FROM account_picture p WHERE p.account_id = a.id)
        FROM account a
        """

    static func read(_ row: Row) throws -> Profile {
        Profile(
            account: try Accounts.account(row), locale: try row.decode(String?.self, at: 6),
            timeZone: try row.decode(String?.self, at: 7), revision: try row.decode(Int.self, at: 8),
            deletedAt: try row.decode(Date?.self, at: 9), hasPicture: try row.decode(Bool.self, at: 10))
    }
}
