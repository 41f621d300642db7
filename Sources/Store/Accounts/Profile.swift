import Foundation
import Postgres

/// An account and its settings.
public struct Profile: Sendable {
    public var account: Account
    /// A language tag.
    public var locale: String?
    /// An IANA name.
    public var timeZone: String?
    /// The number of edits by the owner and by admins.
    public var revision: Int
    /// When the account was deleted. Its row remains without personal data, because actions and meetings refer to it.
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
