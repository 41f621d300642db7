import Domain
import Foundation
import Postgres
import StrictJSON

/// A code with which people add themselves to a roster.
public struct JoinCode: Sendable {
    public var id: UUID
    public var code: String
    /// The maximum number of uses; nil means no limit.
    public var capacity: Int?
    /// The number of people who have joined with the code.
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

/// The result of joining a roster.
public struct Joining: Sendable {
    /// The title of the series.
    public var series: String
    /// The personal code. It is returned once, and only for an address that is new to the series, because anyone can
    /// enter the address of another person. Nil where the service sends mail.
    public var personCode: String?
    /// Whether the link to the person's own page was mailed to the address.
    public var isMailed = false
    /// Whether the person was not a member before.
    public var isNew: Bool
}

public struct JoinCodes: Sendable {
    let pool: Pool
    /// Requests of one series wait here for each other, because each locks the series. Waiting for that lock would take a
    /// connection for each of them.
    let permits: KeyedPermits<UUID>

    /// Returns the codes that are not revoked, the newest first.
    ///
    /// - Parameter id: The last code of the previous page; nil for the first page.
    public func list(of seriesID: UUID, before id: UUID?, limit: Int) async throws -> [JoinCode] {
        var statement = JoinCode.select + "\nWHERE c.series_id = \(seriesID) AND c.revoked_at IS NULL"
        if let id { statement += " AND c.id < \(id)" }
        return try await pool.query(statement + "\nORDER BY c.id DESC LIMIT \(limit)").map(JoinCode.read)
    }

    /// Creates a code. Throws 422 if it would already have expired.
    public func create(
        _ draft: JoinCodeDraft, for seriesID: UUID, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (JoinCode) throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        try await pool.once(request) { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
            let id = UUIDv7.make()
            let inserted = try await connection.execute(
                """
                INSERT INTO join_code (id, series_id, code, capacity, expires_at)
                SELECT \(id), \(seriesID), \(FormCode.make(13)), \(draft.capacity)::int, \(draft.expiresAt)::timestamptz
                WHERE coalesce(\(draft.expiresAt)::timestamptz > clock_timestamp(), true)
                """)
            guard inserted == 1 else {
                throw Problem([
                    Fault(.invalid, at: "/expiresAt", code: "in-the-past", "The code would have expired already.")
                ])
            }
            try await Audit.record("join-code.create", of: id, by: principal.account.id, on: connection)
            return try render(
                JoinCode.read(await connection.query(JoinCode.select + "\nWHERE c.id = \(id)").single()))
        }
    }

    /// Revokes a code immediately. Throws 404 if the series has no such code, or if it is already revoked.
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

    /// Throws 404 if the code is not valid: unknown, revoked, expired, or of a series in the trash.
    public func require(_ code: String) async throws {
        guard FormCode.isPlausible(code) else { throw Problem(.notFound) }
        _ = try await pool.query(Self.selectValid(code)).requireFirst()
    }

    /// Adds a person to the roster. Of two concurrent requests for the last use of the code, only one succeeds. A
    /// request by an existing member does not count as a use.
    /// Throws 503 if too many others are joining.
    ///
    /// - Parameter mailing: What mails the personal link to a new member. Nil if the service cannot send mail: the
    ///   personal code is then part of the result.
    public func join(_ code: String, _ draft: MemberDraft, mailing: PersonLinkMailing? = nil) async throws -> Joining {
        let seriesID = try await pool.query(Self.selectValid(code)).requireFirst().decode(UUID.self, at: 1)
        let permit = try await permits.acquire(
            for: seriesID, within: .seconds(5), else: "Many people are joining at the moment; try again later.",
            retryAfter: 2)
        defer { withExtendedLifetime(permit) {} }
        return try await pool.transaction { connection in
            try await connection.query("SELECT 1 FROM series WHERE id = \(seriesID) FOR NO KEY UPDATE")
            // The code may have become invalid in the meantime.
            let (id, _, series) = try await connection.query(Self.selectValid(code)).requireFirst()
                .decode(UUID.self, UUID.self, String.self)
            let isKnown = try await Person.code(of: draft.email, in: seriesID, on: connection) != nil
            let added: [UUID]
            do {
                added = try await Roster.add([draft], in: seriesID, on: connection)
            } catch let problem as Problem where problem == Roster.full {
                throw Problem(.joinCodeFull, "The roster of the series is full.")
            }
            guard !added.isEmpty else { return Joining(series: series, personCode: nil, isNew: false) }
            let updated = try await connection.execute(
                """
                UPDATE join_code SET used = used + 1 WHERE id = \(id) AND (capacity IS NULL OR used < capacity)
                """)
            guard updated == 1 else { throw Problem(.joinCodeFull) }
            var joining = Joining(series: series, personCode: nil, isNew: true)
            guard let personCode = try await Person.code(of: draft.email, in: seriesID, on: connection) else {
                return joining
            }
            if let mailing {
                joining.isMailed = try await mailing.enqueue(
                    personCode, of: series, to: draft.email, countedFor: seriesID, on: connection)
            } else if !isKnown {
                joining.personCode = personCode
            }
            return joining
        }
    }

    /// Selects the id, the series and its title for a code, if the code is valid now.
    private static func selectValid(_ code: String) -> Statement {
        """
        SELECT c.id, c.series_id, s.title FROM join_code c JOIN series s ON s.id = c.series_id
        WHERE c.code = \(code) AND s.deleted_at IS NULL AND c.revoked_at IS NULL
            AND coalesce(c.expires_at > clock_timestamp(), true)
        """
    }
}
