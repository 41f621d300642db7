import Domain
import Foundation
import Postgres

/// What an account may do with a series and its meetings, in ascending order.
public enum Access: Int, Sendable, Comparable {
    case viewer
    case editor
    case owner

    public static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

    /// An expression for the caller's role in `series s`: `owner`, `editor`, `viewer`, or null for a stranger. An admin
    /// is an owner.
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

    /// A condition: whether `series s` is visible to the account, as all series are to an admin.
    static func isListed(for principal: Principal) -> Statement {
        principal.isAdmin ? "true" : isVisible(to: principal.account.id)
    }

    /// The same condition for a query that should start with the series: the array is computed before anything else is
    /// read.
    static func isListedFirst(for principal: Principal) -> Statement {
        principal.isAdmin ? "true" : "s.id = ANY (\(fragment: seen(by: principal.account.id)))"
    }

    /// The ids of the account's own series and of those shared with it, as an array.
    static func seen(by accountID: UUID) -> Statement {
        """
        ARRAY(SELECT o.id FROM series o WHERE o.owner_id = \(accountID)
            UNION ALL SELECT sh.series_id FROM series_host sh WHERE sh.account_id = \(accountID))
        """
    }

    /// Creates the access for a role as selected by `role(of:)`; nil for a stranger.
    init?(role: String?) {
        switch role {
        case "owner": self = .owner
        case "editor": self = .editor
        case "viewer": self = .viewer
        default: return nil
        }
    }

    /// Whether the names and addresses of attendees are included.
    public var includesAttendees: Bool { self >= .editor }

    /// Throws 404 for a stranger, which reveals nothing, and 403 for a caller who may see the series but not do this.
    static func check(_ role: String?, atLeast needed: Access) throws {
        guard let access = Access(role: role) else { throw Problem(.notFound) }
        guard access >= needed else { throw Problem(.forbidden) }
    }
}
