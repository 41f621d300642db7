import Domain
import Foundation
import Postgres
import StrictJSON

/// A person who works on a series: its owner, an editor or a viewer.
public struct CoHost: Sendable {
    public var accountID: UUID
    public var email: String
    public var name: String
    /// `owner`, `editor` or `viewer`.
    public var role: String
}

public struct CoHosts: Sendable {
    let pool: Pool

    /// Returns the owner and the co-hosts, sorted by address.
    ///
    /// - Parameter email: The last address of the previous page; nil for the first page.
    public func list(of seriesID: UUID, after email: String?, limit: Int) async throws -> [CoHost] {
        var statement = Self.select(seriesID)
        if let email { statement += "\nWHERE a.email > \(email)::citext" }
        return try await pool.query(statement + "\nORDER BY a.email LIMIT \(limit)").map(Self.read)
    }

    /// Makes an account a co-host, or changes the role of a co-host. `isNew` is false if the account was a co-host
    /// before.
    ///
    /// Throws 422 if there is no enabled account with this address, or if it owns the series.
    public func add(
        _ draft: CoHostDraft, to seriesID: UUID, by principal: Principal
    ) async throws -> (host: CoHost, isNew: Bool) {
        try await pool.transaction { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .owner, on: connection)
            let rows = try await connection.query(
                """
                SELECT a.id, s.owner_id = a.id FROM account a, series s
                WHERE a.email = \(draft.email.text)::citext AND a.disabled_at IS NULL AND s.id = \(seriesID)
                FOR KEY SHARE OF a
                """)
            guard let row = rows.first else { throw Self.unknownAccount }
            let (accountID, isOwner) = try row.decode(UUID.self, Bool.self)
            guard !isOwner else { throw Self.alreadyOwner }
            let isNew = try await connection.query(
                """
                INSERT INTO series_host (series_id, account_id, role)
                VALUES (\(seriesID), \(accountID), \(draft.role.rawValue))
                ON CONFLICT (series_id, account_id) DO UPDATE SET role = excluded.role RETURNING xmax = 0
                """
            ).single().decode(Bool.self)
            try await Audit.record(
                "series.host.add", of: seriesID, by: principal.account.id,
                detail: .object([
                    .init("account", .string(accountID.lowercased)),
                    .init("role", .string(draft.role.rawValue)),
                ]), on: connection)
            let host = try await connection.query(
                Self.select(seriesID) + "\nWHERE a.id = \(accountID)"
            ).single()
            return (try Self.read(host), isNew)
        }
    }

    /// Removes a co-host. The owner may remove any co-host, and co-hosts may remove themselves. Throws 404 if the
    /// account is not a co-host.
    public func remove(_ accountID: UUID, from seriesID: UUID, by principal: Principal) async throws {
        try await pool.transaction { connection in
            let access: Access = accountID == principal.account.id ? .viewer : .owner
            try await Access.lock(seriesID, by: principal, atLeast: access, on: connection)
            let removed = try await connection.execute(
                "DELETE FROM series_host WHERE series_id = \(seriesID) AND account_id = \(accountID)")
            guard removed == 1 else { throw Problem(.notFound) }
            try await Audit.record(
                "series.host.remove", of: seriesID, by: principal.account.id,
                detail: .object([.init("account", .string(accountID.lowercased))]), on: connection)
        }
    }

    /// Returns the account id of the co-host with this address; nil if there is none.
    public func find(_ email: EmailAddress, in seriesID: UUID) async throws -> UUID? {
        try await pool.query(
            """
            SELECT a.id FROM series_host h JOIN account a ON a.id = h.account_id
            WHERE h.series_id = \(seriesID) AND a.email = \(email.text)::citext
            """
        ).first?.decode(UUID.self)
    }

    /// Transfers the series with its rounds to another account; the former owner remains as an editor.
    ///
    /// - Parameter precondition: Checks the series' revision while the series is locked, for `If-Match`.
    public func transfer(
        _ seriesID: UUID, _ transfer: SeriesTransfer, by principal: Principal,
        if precondition: @escaping @Sendable (_ revision: Int) throws -> Void = { _ in }
    ) async throws {
        do {
            try await pool.transaction { connection in
                let series = try await Access.lock(seriesID, by: principal, atLeast: .owner, on: connection)
                try precondition(series.revision)
                try await Self.transfer(seriesID, transfer, by: principal.account.id, on: connection)
            }
        } catch let error as PostgresError where error.violates("meeting_no_overlap") {
            let newOwners = try await pool.query("SELECT id FROM account WHERE email = \(transfer.email.text)::citext")
            let newOwnerID = try newOwners.requireFirst().decode(UUID.self)
            // Some meetings of the new owner may be invisible to the caller. Only conflicts with visible ones are
            // reported.
            let conflicts = try await Overlaps(pool: pool)
                .find(SeriesLifecycle.times(of: seriesID), of: newOwnerID, for: principal).filter { $0.subject != nil }
            var problem = Problem.overlap(conflicts)
            problem.detail = "The new owner already has meetings at some of these times."
            throw problem
        }
    }

    private static func transfer(
        _ seriesID: UUID, _ transfer: SeriesTransfer, by accountID: UUID, on connection: Connection
    ) async throws {
        guard let newOwnerID = try await SeriesLifecycle.lockNewOwner(transfer.email, on: connection) else {
            throw unknownAccount
        }
        let ownerID = try await connection.query("SELECT owner_id FROM series WHERE id = \(seriesID)").single()
            .decode(UUID.self)
        guard newOwnerID != ownerID else { throw alreadyOwner }
        try await SeriesLifecycle.transfer(
            seriesID, to: newOwnerID, allowingOverlap: transfer.allowOverlap, by: accountID, on: connection)
        try await connection.execute(
            """
            INSERT INTO series_host (series_id, account_id, role) VALUES (\(seriesID), \(ownerID), 'editor')
            ON CONFLICT (series_id, account_id) DO UPDATE SET role = excluded.role
            """)
    }

    private static func select(_ seriesID: UUID) -> Statement {
        """
        SELECT a.id, a.email::text, a.name, h.role
        FROM (SELECT owner_id AS account_id, 'owner' AS role FROM series WHERE id = \(seriesID)
            UNION ALL SELECT account_id, role FROM series_host WHERE series_id = \(seriesID)) h
        JOIN account a ON a.id = h.account_id
        """
    }

    private static func read(_ row: Row) throws -> CoHost {
        let (id, email, name, role) = try row.decode(UUID.self, String.self, String.self, String.self)
        return CoHost(accountID: id, email: email, name: name, role: role)
    }

    private static let unknownAccount = Problem(
        invalid: "/email", code: "unknown-account", "There is no account with this address.")

    private static let alreadyOwner = Problem(invalid: "/email", code: "is-owner", "This account owns the series.")
}
