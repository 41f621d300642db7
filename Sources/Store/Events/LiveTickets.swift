import Domain
import Foundation
import Postgres

/// Tickets that open event streams for clients that cannot send a token. They are valid for a minute, for any number of
/// streams, on every instance.
public struct LiveTickets: Sendable {
    /// A ticket's lifetime, in seconds.
    public static let life: TimeInterval = 60
    /// The number of valid tickets of one account; concurrent requests may exceed it by a few.
    public static let most = 100
    static let prefix = "at_"

    let pool: Pool

    /// Creates a ticket with the rights of the caller's token; the ticket is returned only by this call.
    public func create(by principal: Principal) async throws -> (ticket: String, expiresAt: Date) {
        let ticket = Self.prefix + Secret.make()
        let rows = try await pool.query(
            """
            INSERT INTO live_ticket (hash, token_id, account_id, expires_at)
            SELECT \(Secret.hash(ticket)), t.id, t.account_id, least(t.expires_at, now() + make_interval(secs => \(Self.life)))
            FROM token t
            WHERE t.id = \(principal.tokenID) AND (SELECT count(*) FROM live_ticket l
                WHERE l.account_id = t.account_id AND l.expires_at > now()) < \(Self.most)
            RETURNING expires_at
            """)
        guard let row = rows.first else {
            throw Problem(
                .tooManyRequests, "At most \(Self.most) tickets are valid at the same time.",
                retryAfter: Int(Self.life))
        }
        return (ticket, try row.decode(Date.self))
    }

    /// Returns the principal of the ticket's token; nil if the ticket or the token is no longer valid. Writes nothing.
    public func find(_ ticket: String) async throws -> Principal? {
        guard ticket.hasPrefix(Self.prefix), ticket.utf8.count <= 100 else { return nil }
        let rows = try await pool.query(
            Principal.select
                + """
                 AND t.id = (SELECT l.token_id FROM live_ticket l
                    WHERE l.hash = \(Secret.hash(ticket)) AND l.expires_at > clock_timestamp())
                """)
        return try rows.first.map(Principal.read)
    }
}
