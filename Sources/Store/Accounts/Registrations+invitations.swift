import Domain
import Foundation
import Postgres
import StrictJSON

/// How an invitation becomes an account.
extension Registrations {
    /// The delay of a verification mail to an invited person, in seconds: within it, the page may make the mail
    /// unnecessary.
    static let invitedMailDelay: TimeInterval = 5

    /// Returns the id of an invitation that this address may use, and whether it was made for this address alone.
    /// Throws 403 for an invitation that is unknown, used, expired or for another address.
    public func requireInvitation(_ code: String, for email: EmailAddress) async throws -> InvitationInUse {
        let rows = try await pool.query(
            """
            SELECT id, email IS NOT NULL FROM invitation
            WHERE hash = \(Secret.hash(code)) AND spent_at IS NULL AND expires_at > clock_timestamp()
                AND (email IS NULL OR email = \(email.text)::citext)
            """)
        guard let row = rows.first else {
            throw Problem(.forbidden, "The invitation is unknown, spent, expired, or for another address.")
        }
        let (id, isForAddress) = try row.decode(UUID.self, Bool.self)
        return InvitationInUse(id: id, isForAddress: isForAddress)
    }

    /// Returns whether the secret is the code of a valid invitation, for any address.
    public func isInvitation(_ secret: String) async throws -> Bool {
        let rows = try await pool.query(
            """
            SELECT FROM invitation
            WHERE hash = \(Secret.hash(secret)) AND spent_at IS NULL AND expires_at > clock_timestamp()
            """)
        return !rows.isEmpty
    }

    /// A condition: whether this secret completes `registration mine`. The secret is the token of its mail or the code
    /// of the invitation made for its address, then of the newest registration. Such a code was given to its holder for
    /// that address.
    static func awaits(_ secret: String) -> Statement {
        """
        mine.id = coalesce(
            (SELECT r.id FROM registration r WHERE r.hash = \(Secret.hash(secret))),
            (SELECT r.id FROM registration r JOIN invitation i ON i.id = r.invitation_id AND i.email = r.email
             WHERE i.hash = \(Secret.hash(secret)) AND i.spent_at IS NULL AND i.expires_at > clock_timestamp()
             ORDER BY r.id DESC LIMIT 1))
        """
    }

    static func spend(_ invitation: UUID, by account: Account, on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            UPDATE invitation SET spent_at = now(), spent_by = \(account.id)
            WHERE id = \(invitation) AND spent_at IS NULL
            RETURNING created_by, series_id, role
            """)
        guard let row = rows.first else {
            throw Problem([
                Fault(
                    .invalid, at: "/token", code: "invitation-spent",
                    "The invitation has been used or revoked since the sign-up.")
            ])
        }
        let (adminID, seriesID, role) = try row.decode(UUID.self, UUID?.self, String?.self)
        guard let seriesID, let role else { return }
        try await join(seriesID, as: role, account, invitedBy: adminID, on: connection)
    }

    /// Adds the account to the series if the inviting admin is still an enabled admin, as with a share.
    private static func join(
        _ seriesID: UUID, as role: String, _ account: Account, invitedBy adminID: UUID, on connection: Connection
    ) async throws {
        let series = try await connection.query(
            """
            SELECT s.id FROM series s, account a
            WHERE s.id = \(seriesID) AND a.id = \(adminID) AND a.role = 'admin' AND a.disabled_at IS NULL
            FOR KEY SHARE OF s
            """)
        guard !series.isEmpty else { return }
        try await connection.execute(
            "INSERT INTO series_host (series_id, account_id, role) VALUES (\(seriesID), \(account.id), \(role))")
        try await Audit.record(
            "series.host.add", of: seriesID, by: adminID,
            detail: .object([.init("account", .string(account.id.lowercased)), .init("role", .string(role))]),
            on: connection)
    }
}

/// The invitation used by a sign-up.
public struct InvitationInUse: Sendable {
    public var id: UUID
    public var isForAddress: Bool
}
