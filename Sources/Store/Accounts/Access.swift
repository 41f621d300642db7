import Domain
import Foundation
import Postgres

/// What an account may do with a series and its meetings, from less to more.
public enum Access: Int, Sendable, Comparable {
    case viewer
    case editor
    case owner

    public static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }

    /// The caller's place in `series s`: `owner`, `editor`, `viewer`, or null for a stranger. An admin is an owner.
    static func role(of principal: Principal) -> Statement {
        """
        CASE WHEN \(principal.isAdmin) OR s.owner_id = \(principal.account.id) THEN 'owner'
             ELSE (SELECT sh.role FROM series_host sh
                   WHERE sh.series_id = s.id AND sh.account_id = \(principal.account.id)) END
        """
    }

    /// Whether `series s` is the account's own or shared with it.
    static func isSeen(by accountID: UUID) -> Statement {
        """
        (s.owner_id = \(accountID)
            OR s.id IN (SELECT sh.series_id FROM series_host sh WHERE sh.account_id = \(accountID)))
        """
    }

    /// The same, and everything for an admin.
    static func isListed(for principal: Principal) -> Statement {
        principal.isAdmin ? "true" : isSeen(by: principal.account.id)
    }

    /// The same of `series s` for a list that is to begin with them: an array is known before anything else is read.
    static func isListedFirst(for principal: Principal) -> Statement {
        principal.isAdmin ? "true" : "s.id = ANY (\(fragment: seen(by: principal.account.id)))"
    }

    /// The ids of the account's own series and of those that are shared with it, as an array.
    static func seen(by accountID: UUID) -> Statement {
        """
        ARRAY(SELECT o.id FROM series o WHERE o.owner_id = \(accountID)
            UNION ALL SELECT sh.series_id FROM series_host sh WHERE sh.account_id = \(accountID))
        """
    }

    /// The access of a role as `role(of:)` selects it; nil for a stranger.
    init?(role: String?) {
        switch role {
        case "owner": self = .owner
        case "editor": self = .editor
        case "viewer": self = .viewer
        default: return nil
        }
    }

    /// Whether it includes the names and addresses of attendees.
    public var includesAttendees: Bool { self >= .editor }

    /// 404 for a stranger, who is told nothing; 403 for one who may see but not do.
    static func check(_ role: String?, atLeast needed: Access) throws {
        guard let access = Access(role: role) else { throw Problem(.notFound) }
        guard access >= needed else { throw Problem(.forbidden) }
    }
}
