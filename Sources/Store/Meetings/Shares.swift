import Domain
import Foundation
import Postgres
import StrictJSON

/// A link with which anyone can read the results of one meeting until it expires. Does not contain the token, which is
/// shown only when the share is created.
public struct ShareLink: Sendable {
    public var id: UUID
    public var name: String?
    public var createdAt: Date
    public var expiresAt: Date
    /// The account that created the link.
    public var creatorID: UUID
    /// The current name of that account.
    public var creator: String

    static let select: Statement = """
        SELECT sh.id, sh.name, sh.created_at, sh.expires_at, creator.id, creator.name
        FROM share sh JOIN account creator ON creator.id = sh.created_by
        """

    static func read(_ row: Row) throws -> ShareLink {
        let (id, name, createdAt, expiresAt, creatorID, creator) = try row.decode(
            UUID.self, String?.self, Date.self, Date.self, UUID.self, String.self)
        return ShareLink(
            id: id, name: name, createdAt: createdAt, expiresAt: expiresAt, creatorID: creatorID,
            creator: creator)
    }
}

public struct Shares: Sendable {
    /// The maximum number of active shares of one meeting.
    static let limit = 100

    let pool: Pool

    /// Returns the meeting of a share's token, and the time when the share expires. Throws 404 if the token is unknown
    /// or the meeting is in the trash. Throws 410 if the share has expired or was revoked, or while its creator is not
    /// allowed to create shares of the meeting.
    public func find(token: String) async throws -> (meeting: Meeting, expiresAt: Date) {
        let rows = try await pool.query(
            Meeting.select(", sh.expires_at, \(fragment: Self.isActive) AND \(fragment: Self.isBackedByCreator)")
                + """

                JOIN share sh ON sh.meeting_id = m.id
                WHERE sh.hash = \(Secret.hash(token)) AND m.deleted_at IS NULL
                """)
        let row = try rows.requireFirst()
        guard try row.decode(Bool.self, at: Meeting.columnCount + 1) else { throw Problem(.shareEnded) }
        return (try Meeting.read(row), try row.decode(Date.self, at: Meeting.columnCount))
    }

    /// Returns the active shares, the newest first. Includes shares whose creators may no longer edit the series,
    /// because they may get this right again.
    ///
    /// - Parameter id: The last share of the previous page; nil for the first page.
    public func list(of meetingID: UUID, before id: UUID?, limit: Int) async throws -> [ShareLink] {
        var statement = ShareLink.select + "\nWHERE sh.meeting_id = \(meetingID) AND \(fragment: Self.isActive)"
        if let id { statement += " AND sh.id < \(id)" }
        return try await pool.query(statement + "\nORDER BY sh.id DESC LIMIT \(limit)").map(ShareLink.read)
    }

    /// Creates a share and returns its token, which no other call returns. For a replay (`response.isReplay`), no share
    /// is created, and the token is not valid.
    public func create(
        _ draft: ShareDraft, for meeting: Meeting, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (ShareLink) throws -> [UInt8]
    ) async throws -> (response: IdempotentResponse, token: String) {
        let token = Secret.make()
        let response = try await pool.once(request) { connection in
            try await Access.lock(meeting.seriesID, by: principal, atLeast: .editor, on: connection)
            let (now, activeCount) = try await connection.query(
                """
                SELECT clock_timestamp(), (SELECT count(*) FROM share sh
                    WHERE sh.meeting_id = m.id AND \(fragment: Self.isActive))
                FROM meeting m WHERE m.id = \(meeting.id) AND m.deleted_at IS NULL
                """
            ).requireFirst().decode(Date.self, Int.self)
            let expiresAt = try draft.expiry(now: now)
            guard activeCount < Self.limit else {
                throw Problem([
                    Fault(.invalid, at: "", code: "too-many", "A meeting has at most \(Self.limit) shares at a time.")
                ])
            }
            let id = UUIDv7.make()
            try await connection.execute(
                """
                INSERT INTO share (id, meeting_id, hash, name, created_by, created_at, expires_at)
                VALUES (\(id), \(meeting.id), \(Secret.hash(token)), \(draft.name), \(principal.account.id), \(now),
                    \(expiresAt))
                """)
            try await Audit.record("share.create", of: id, by: principal.account.id, on: connection)
            return try render(
                ShareLink.read(await connection.query(ShareLink.select + "\nWHERE sh.id = \(id)").single()))
        }
        return (response, token)
    }

    /// Revokes a share immediately. Does nothing if it is already revoked. Throws 404 if the meeting has no such share.
    public func revoke(_ id: UUID, of meeting: Meeting, by principal: Principal) async throws {
        try await pool.transaction { connection in
            try await Access.lock(meeting.seriesID, by: principal, atLeast: .editor, on: connection)
            let revoked = try await connection.execute(
                """
                UPDATE share SET revoked_at = statement_timestamp()
                WHERE id = \(id) AND meeting_id = \(meeting.id) AND revoked_at IS NULL
                """)
            guard revoked == 1 else {
                _ = try await connection.query(
                    "SELECT 1 FROM share WHERE id = \(id) AND meeting_id = \(meeting.id)"
                ).requireFirst()
                return
            }
            try await Audit.record("share.revoke", of: id, by: principal.account.id, on: connection)
        }
    }

    /// Deletes shares 30 days after they ended. Until then, a request with the token reports that the share has ended.
    /// Afterwards, it reports that the share does not exist.
    static let sweep: Statement = """
        DELETE FROM share WHERE expires_at < now() - interval '30 days' OR revoked_at < now() - interval '30 days'
        """

    /// A condition: whether `share sh` was not revoked and has not expired.
    static let isActive: Statement = "sh.revoked_at IS NULL AND sh.expires_at > clock_timestamp()"

    /// A condition: whether the creator of `share sh` would be allowed to create it now, as an editor or owner of
    /// `series s` or as an admin. A share is not valid while its creator lacks this right.
    static let isBackedByCreator: Statement = """
        (EXISTS (SELECT FROM account creator
            WHERE creator.id = sh.created_by AND creator.disabled_at IS NULL
                AND (creator.role = 'admin' OR creator.id = s.owner_id))
            OR EXISTS (SELECT FROM account creator JOIN series_host h ON h.account_id = creator.id
                WHERE creator.id = sh.created_by AND creator.disabled_at IS NULL
                    AND h.series_id = s.id AND h.role = 'editor'))
        """
}
