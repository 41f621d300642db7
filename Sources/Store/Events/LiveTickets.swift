import Domain
import Foundation
import Postgres

/// Tickets for clients that open event streams but cannot send a token. A ticket is valid for a minute, on every
/// instance and for any number of streams.
public struct LiveTickets: Sendable {
    /// A ticket's lifetime, in seconds.
    public static let lifetime: TimeInterval = 60
    /// The maximum number of valid tickets of one account. Concurrent requests may exceed it by a few.
    public static let maxPerAccount = 100
    static let prefix = "at_"

    let pool: Pool

    /// Creates a ticket with the rights of the caller's token; the ticket is returned only by this call.
    public func create(by principal: Principal) async throws -> (ticket: String, expiresAt: Date) {
        let ticket = Self.prefix + Secret.make()
        let rows = try await pool.query(
            """
            INSERT INTO live_ticket (hash, token_id, account_id, expires_at)
            SELECT \(Secret.hash(ticket)), t.id, t.account_id,
                least(t.expires_at, now() + make_interval(secs => \(Self.lifetime)))
            FROM token t
            WHERE t.id = \(principal.tokenID) AND (SELECT count(*) FROM live_ticket l
                WHERE l.account_id = t.account_id AND l.expires_at > now()) < \(Self.maxPerAccount)
            RETURNING expires_at
            """)
        guard let row = rows.first else {
            throw Problem(
                .tooManyRequests, "An account can have at most \(Self.maxPerAccount) valid tickets.",
                retryAfter: Int(Self.lifetime))
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
