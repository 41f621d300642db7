import Domain
import Foundation
import Postgres

/// The access of an account to a series and its meetings, in ascending order.
public enum Access: Sendable, Comparable {
    case viewer
    case editor
    case owner

    /// An expression for the caller's role in `series s`: `owner`, `editor` or `viewer`. An admin counts as the owner.
    /// For a stranger, that is, an account without access, the expression is null.
    static func role(of principal: Principal) -> Statement {
        """
        CASE WHEN \(principal.isAdmin) OR s.owner_id = \(principal.account.id) THEN 'owner'
             ELSE (SELECT sh.role FROM series_host sh
                   WHERE sh.series_id = s.id AND sh.account_id = \(principal.account.id)) END
        """
    }

    /// A condition: whether `series s` is the account's own or shared with it.
    static func isVisible(to accountID: UUID) -> Statement {
        """
        (s.owner_id = \(accountID)
            OR s.id IN (SELECT sh.series_id FROM series_host sh WHERE sh.account_id = \(accountID)))
        """
    }

    /// A condition: whether `series s` appears in the principal's lists. An admin sees all series.
    static func isListed(for principal: Principal) -> Statement {
        principal.isAdmin ? "true" : isVisible(to: principal.account.id)
    }

    /// The same condition as `isListed(for:)` for a query whose plan should start with the series. It compares with an
    /// array, which PostgreSQL computes before it reads a table.
    static func isInListedSeries(for principal: Principal) -> Statement {
        principal.isAdmin ? "true" : "s.id = ANY (\(fragment: visibleSeriesIDs(of: principal.account.id)))"
    }

    /// The ids of the account's own series and of those shared with it, as an array.
    static func visibleSeriesIDs(of accountID: UUID) -> Statement {
        """
        ARRAY(SELECT o.id FROM series o WHERE o.owner_id = \(accountID)
            UNION ALL SELECT sh.series_id FROM series_host sh WHERE sh.account_id = \(accountID))
        """
    }

    /// Creates the access for a role that was selected with `role(of:)`. Returns nil for a stranger.
    init?(role: String?) {
        switch role {
        case "owner": self = .owner
        case "editor": self = .editor
        case "viewer": self = .viewer
        default: return nil
        }
    }

    /// Whether this access includes the names and addresses of attendees.
    public var includesAttendees: Bool { self >= .editor }

    /// Throws 404 for a stranger, so as not to reveal that the series exists, and 403 for a caller whose access is not
    /// sufficient.
    static func check(_ role: String?, atLeast needed: Access) throws {
        guard let access = Access(role: role) else { throw Problem(.notFound) }
        guard access >= needed else { throw Problem(.forbidden) }
    }

    /// A series that this transaction has locked against other actions, and the caller's role in it.
    typealias LockedSeries = (role: String?, revision: Int, isInTrash: Bool)

    /// Locks the series against other actions on it, then checks the caller's role. Rounds, members and co-hosts are
    /// added and removed under the same lock; meetings, forms and their states are locked after it, in that order.
    ///
    /// The role is read in a separate statement, because a statement that waited for the lock sees all other rows as
    /// they were before the wait, including co-hosts removed in the meantime.
    ///
    /// - Parameter inTrash: Whether the series must be in the trash (true) or outside it (false); nil allows both.
    @discardableResult
    static func lock(
        _ seriesID: UUID, by principal: Principal, atLeast access: Access, inTrash: Bool? = false,
        on connection: Connection
    ) async throws -> LockedSeries {
        try await connection.query("SELECT 1 FROM series WHERE id = \(seriesID) FOR NO KEY UPDATE")
        let rows = try await connection.query(
            """
            SELECT \(fragment: role(of: principal)), s.revision, s.deleted_at IS NOT NULL
            FROM series s WHERE s.id = \(seriesID)
            """)
        let (role, revision, isInTrash) = try rows.requireFirst().decode(String?.self, Int.self, Bool.self)
        try check(role, atLeast: access)
        guard inTrash == nil || isInTrash == inTrash else { throw Problem(.notFound) }
        return (role, revision, isInTrash)
    }
}
