import Domain
import Foundation
import Postgres
import StrictJSON

/// A code with which people enter themselves in a roster.
public struct JoinCode: Sendable {
    public var id: UUID
    public var code: String
    /// Nil takes any number.
    public var capacity: Int?
    public var used: Int
    public var createdAt: Date
    public var expiresAt: Date?

    static let select: Statement =
        "SELECT c.id, c.code, c.capacity, c.used, c.created_at, c.expires_at FROM join_code c"

    static func read(_ row: Row) throws -> JoinCode {
        var columns = Columns(row)
        return JoinCode(
            id: try columns.next(), code: try columns.next(), capacity: try columns.next(), used: try columns.next(),
            createdAt: try columns.next(), expiresAt: try columns.next())
    }
}

/// What a person who entered themselves gets.
public struct Joining: Sendable {
    public var series: String
    /// Shows them their own attendance: told once, and only to a person whom the series had never seen, because anyone
    /// can type another's address.
    public var personCode: String?
    public var isNew: Bool
}

public struct JoinCodes: Sendable {
    let pool: Pool

    /// Those that were not revoked, newest first, behind the one where a page ended.
    public func list(of seriesID: UUID, before id: UUID?, limit: Int) async throws -> [JoinCode] {
        var statement = JoinCode.select + "\nWHERE c.series_id = \(seriesID) AND c.revoked_at IS NULL"
        if let id { statement += " AND c.id < \(id)" }
        return try await pool.query(statement + "\nORDER BY c.id DESC LIMIT \(limit)").map(JoinCode.read)
    }

    public func create(
        _ draft: JoinCodeDraft, for seriesID: UUID, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (JoinCode) throws -> [UInt8]
    ) async throws -> Idempotent {
        try await pool.once(request) { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
            let id = UUIDv7.make()
            let made = try await connection.execute(
                """
                INSERT INTO join_code (id, series_id, code, capacity, expires_at)
                SELECT \(id), \(seriesID), \(FormCode.make(13)), \(draft.capacity)::int, \(draft.expiresAt)::timestamptz
                WHERE coalesce(\(draft.expiresAt)::timestamptz > clock_timestamp(), true)
                """)
            guard made == 1 else {
                throw Problem([
                    Fault(.invalid, at: "/expiresAt", code: "in-the-past", "The code would have expired already.")
                ])
            }
            try await Audit.record("join-code.create", of: id, by: principal.account.id, on: connection)
            return try render(
                JoinCode.read(await connection.query(JoinCode.select + "\nWHERE c.id = \(id)").single()))
        }
    }

    /// From now on it leads nowhere; 404 when it does already.
    public func revoke(_ id: UUID, of seriesID: UUID, by principal: Principal) async throws {
        try await pool.transaction { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
            let revoked = try await connection.execute(
                """
                UPDATE join_code SET revoked_at = now()
                WHERE id = \(id) AND series_id = \(seriesID) AND revoked_at IS NULL
                """)
            guard revoked == 1 else { throw Problem(.notFound) }
            try await Audit.record("join-code.revoke", of: id, by: principal.account.id, on: connection)
        }
    }

    /// 404 for a code that leads nowhere: unknown, revoked, expired, or its series in the trash.
    public func require(_ code: String) async throws {
        guard FormCode.isPlausible(code) else { throw Problem(.notFound) }
        _ = try await pool.query(Self.standing(code)).found()
    }

    /// Enters a person. Of two who come for the last place one gets it; who is a member already takes none.
    public func join(_ code: String, _ draft: MemberDraft) async throws -> Joining {
        try await pool.transaction { connection in
            let seriesID = try await connection.query(Self.standing(code)).found().decode(UUID.self, at: 1)
            try await connection.query("SELECT 1 FROM series WHERE id = \(seriesID) FOR NO KEY UPDATE")
            // What was true before the wait for the lock may not be any more.
            var columns = Columns(try await connection.query(Self.standing(code)).found())
            let id: UUID = try columns.next()
            _ = try columns.next(UUID.self)
            let series: String = try columns.next()
            let isKnown = try await Person.code(of: draft.email, in: seriesID, on: connection) != nil
            let added: [UUID]
            do {
                added = try await Roster.enter([draft], in: seriesID, on: connection)
            } catch let problem as Problem where problem == Roster.full {
                throw Problem(.joinCodeFull, "The roster of the series is full.")
            }
            guard !added.isEmpty else { return Joining(series: series, personCode: nil, isNew: false) }
            let taken = try await connection.execute(
                """
                UPDATE join_code SET used = used + 1 WHERE id = \(id) AND (capacity IS NULL OR used < capacity)
                """)
            guard taken == 1 else { throw Problem(.joinCodeFull) }
            let own = isKnown ? nil : try await Person.code(of: draft.email, in: seriesID, on: connection)
            return Joining(series: series, personCode: own, isNew: true)
        }
    }

    /// The id, series and series' title of a code that is good now.
    private static func standing(_ code: String) -> Statement {
        """
        SELECT c.id, c.series_id, s.title FROM join_code c JOIN series s ON s.id = c.series_id
        WHERE c.code = \(code) AND s.deleted_at IS NULL AND c.revoked_at IS NULL
            AND coalesce(c.expires_at > clock_timestamp(), true)
        """
    }
}

extension Store {
    public var joinCodes: JoinCodes { JoinCodes(pool: pool) }
}
