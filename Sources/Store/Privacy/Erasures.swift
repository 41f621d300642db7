import Domain
import Foundation
import Postgres
import StrictJSON

extension Store {
    public var erasures: Erasures { Erasures(pool: pool, cache: cache, submissions: submissions) }
}

/// Deletion of personal data: of an account with its owner's data, and of a person everywhere by address.
public struct Erasures: Sendable {
    let pool: Pool
    let cache: FormCache
    let submissions: Submissions

    /// Ends the account. Its series are transferred to the heir, whose own meetings they may overlap, or moved to the
    /// trash.
    ///
    /// Throws 422 at `/heir` for an address without another enabled account, and `lastAdmin`.
    public func leave(
        _ principal: Principal, heir: EmailAddress?, if precondition: @escaping Profiles.Precondition = { _ in }
    ) async throws {
        let id = principal.account.id
        let forms = try await pool.transaction { connection in
            _ = try await Accounts.lockAdmins(on: connection)
            try await principal.confirm(on: connection)
            try precondition(try await Profiles.lock(id, on: connection))
            let forms = try await Self.end(id, heir: heir, by: id, on: connection)
            try await SeriesLifecycle.setTrashed(true, forms.map(\.id), on: connection)
            return forms
        }
        for form in forms { cache.forget(form.code) }
    }

    /// Ends an account. Its row remains without personal data, because actions and meetings refer to it. Returns the
    /// forms moved to the trash; setting their states is left to the caller, who may have others to write.
    static func end(
        _ id: UUID, heir: EmailAddress?, by actorID: UUID, on connection: Connection
    ) async throws -> [SeriesLifecycle.MovedForm] {
        try Accounts.checkAdmins(await Accounts.lockAdmins(on: connection), without: id)
        // Locked as a whole row: a series being created is either found by the query below or not created at all.
        let locked = try await connection.query(
            "SELECT 1 FROM account WHERE id = \(id) AND deleted_at IS NULL FOR UPDATE")
        _ = try locked.found()
        var newOwnerID: UUID?
        if let heir {
            newOwnerID = try await SeriesLifecycle.lockNewOwner(heir, on: connection)
            guard let newOwnerID, newOwnerID != id else {
                throw Problem([
                    Fault(
                        .invalid, at: "/heir", code: "unknown-account", "There is no other account with this address.")
                ])
            }
        }
        let series = try await connection.query("SELECT id FROM series WHERE owner_id = \(id) ORDER BY id")
            .map { row -> UUID in try row.decode(UUID.self) }
        var forms: [SeriesLifecycle.MovedForm] = []
        for seriesID in series {
            if let newOwnerID {
                try await SeriesLifecycle.transfer(
                    seriesID, to: newOwnerID, allowingOverlap: true, by: actorID, on: connection)
            } else {
                forms += try await SeriesLifecycle.trash(seriesID, by: actorID, on: connection)
            }
        }
        try await forget(id, on: connection)
        try await Audit.record("account.delete", of: id, by: actorID, on: connection)
        return forms
    }

    /// Clears all personal data in the account's row, and deletes the rows that belong to the account alone.
    private static func forget(_ id: UUID, on connection: Connection) async throws {
        let address: Statement = "(SELECT email FROM account WHERE id = \(id))"
        let webhooks: Statement = "IN (SELECT id FROM webhook WHERE account_id = \(id))"
        try await connection.pipeline(Webhooks.removal(webhooks))
        try await connection.pipeline([
            "DELETE FROM webhook WHERE account_id = \(id)",
            "DELETE FROM registration WHERE email = \(fragment: address)",
            // Without its address, an open invitation would be usable by anyone; of a used one the account's id
            // remains.
            "DELETE FROM invitation WHERE email = \(fragment: address) AND spent_at IS NULL",
            """
            UPDATE invitation SET email = NULL, note = NULL
            WHERE spent_by = \(id) OR email = \(fragment: address)
            """,
            "DELETE FROM outbox WHERE recipient::citext = \(fragment: address)",
            """
            DELETE FROM idempotency
            WHERE route = 'POST /v1/invitations' AND \(fragment: storedResponse(contains: address))
            """,
            "DELETE FROM credential WHERE account_id = \(id)",
            "DELETE FROM account_picture WHERE account_id = \(id)",
            "DELETE FROM token WHERE account_id = \(id)",
            "DELETE FROM password_reset WHERE account_id = \(id)",
            "DELETE FROM series_host WHERE account_id = \(id)",
            "DELETE FROM idempotency WHERE account_id = \(id)",
            """
            UPDATE account SET email = \("deleted-\(id.lowercased)@invalid"), name = 'Deleted account',
                role = 'host', locale = NULL, time_zone = NULL, revision = revision + 1,
                disabled_at = coalesce(disabled_at, now()), deleted_at = now()
            WHERE id = \(id)
            """,
        ])
    }
}
