import Domain
import Foundation
import Postgres

/// A link with which anyone reads one meeting's results until it ends.
public struct ShareLink: Sendable {
    public var id: UUID
    public var meetingID: UUID
    public var name: String?
    public var createdAt: Date
    public var expiresAt: Date
}

public struct Shares: Sendable {
    let pool: Pool

    /// The meeting that a share's token shows: 404 for a token that is none and for a meeting in the trash, 410 once the
    /// share has expired or was revoked.
    public func require(token: String) async throws -> Meeting {
        try await find(token: token).meeting
    }

    public func find(token: String) async throws -> (meeting: Meeting, expiresAt: Date) {
        let rows = try await pool.query(
            Meeting.select(", sh.expires_at, sh.revoked_at IS NOT NULL OR sh.expires_at <= clock_timestamp()")
                + """

                JOIN share sh ON sh.meeting_id = m.id
                WHERE sh.hash = \(Secret.hash(token)) AND m.deleted_at IS NULL
                """)
        let row = try rows.found()
        guard try !row.decode(Bool.self, at: Meeting.columnCount + 1) else { throw Problem(.shareEnded) }
        return (try Meeting.read(row), try row.decode(Date.self, at: Meeting.columnCount))
    }
}

extension Store {
    public var shares: Shares { Shares(pool: pool) }
}
