import Domain
import Foundation
import Postgres
import StrictJSON

/// How an invitation becomes an account.
extension Registrations {
    /// A mail that a page makes needless within a moment need not be sent.
    static let pauseOfInvited: TimeInterval = 5

    /// The id of an invitation that this address may use, and whether it was made for it alone; 403 for one that is
    /// unknown, spent, expired or another's.
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

    /// Whether the secret is the code of an invitation that may still be used, for whichever address.
    public func isInvitation(_ secret: String) async throws -> Bool {
        let rows = try await pool.query(
            """
            SELECT FROM invitation
            WHERE hash = \(Secret.hash(secret)) AND spent_at IS NULL AND expires_at > clock_timestamp()
            """)
        return !rows.isEmpty
    }

    /// Whether `registration mine` waits for this secret: for the token of its mail, or, newest first, for the code of
    /// the invitation that was made for its address. Whoever has such a code was given it for that address.
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
                    "The invitation has been used or taken back since the sign-up.")
            ])
        }
        let (adminID, seriesID, role) = try row.decode(UUID.self, UUID?.self, String?.self)
        guard let seriesID, let role else { return }
        try await join(seriesID, as: role, account, invitedBy: adminID, on: connection)
    }

    /// As a share, the place is given while whoever gave it could give it again.
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

/// An invitation that a sign-up names.
public struct InvitationInUse: Sendable {
    public var id: UUID
    public var isForAddress: Bool
}
