import Domain
import Foundation
import Postgres
import StrictJSON

/// A filter for listing accounts: each part narrows the result.
public struct AccountQuery: Sendable {
    public enum State: String, Sendable, CaseIterable {
        case active
        case disabled
        case deleted
    }

    /// The position of a page's last account.
    public struct Position: Sendable {
        public var email: String
        public var id: UUID

        public init(email: String, id: UUID) {
            self.email = email
            self.id = id
        }
    }

    /// The state to list; nil lists all accounts but the deleted ones.
    public var state: State?
    /// Text that the address or name contains.
    public var words: String?
    public var after: Position?
    public var limit: Int

    public init(state: State? = nil, words: String? = nil, after: Position? = nil, limit: Int = 50) {
        self.state = state
        self.words = words
        self.after = after
        self.limit = limit
    }
}

extension Accounts {
    /// Returns accounts ordered by address.
    public func list(_ query: AccountQuery) async throws -> [Profile] {
        var statement = Profile.select
        switch query.state {
        case .active: statement += "\nWHERE a.disabled_at IS NULL"
        case .disabled: statement += "\nWHERE a.disabled_at IS NOT NULL AND a.deleted_at IS NULL"
        case .deleted: statement += "\nWHERE a.deleted_at IS NOT NULL"
        case nil: statement += "\nWHERE a.deleted_at IS NULL"
        }
        if let words = query.words {
            statement +=
                " AND (strpos(lower(a.email::text), lower(\(words))) > 0 OR strpos(lower(a.name), lower(\(words))) > 0)"
        }
        if let after = query.after { statement += " AND (a.email, a.id) > (\(after.email)::citext, \(after.id)::uuid)" }
        return try await pool.query(statement + "\nORDER BY a.email, a.id LIMIT \(query.limit)").map(Profile.read)
    }

    /// Changes an account's role, or disables or enables it. Disabling ends every session and API token immediately.
    ///
    /// Throws `lastAdmin` when no admin would be left. All admins are locked first, so that two admins who demote each
    /// other at the same moment are processed one after the other.
    public func change(
        _ id: UUID, role: Account.Role?, disabled: Bool?, by principal: Principal,
        if precondition: @escaping Profiles.Precondition
    ) async throws -> Profile {
        try await pool.transaction { connection in
            let admins = try await Self.lockAdmins(on: connection)
            try await principal.confirm(asAdmin: true, on: connection)
            let before = try await Profiles.lock(id, on: connection)
            try precondition(before)
            let wasDisabled = before.account.disabledAt != nil
            let (newRole, isDisabled) = (role ?? before.account.role, disabled ?? wasDisabled)
            guard newRole != before.account.role || isDisabled != wasDisabled else { return before }
            if newRole != .admin || isDisabled { try Self.checkAdmins(admins, without: id) }
            try await connection.execute(
                """
                UPDATE account SET role = \(newRole.rawValue), revision = revision + 1,
                    disabled_at = CASE WHEN \(isDisabled) THEN coalesce(disabled_at, now()) END
                WHERE id = \(id)
                """)
            if isDisabled { try await Self.endAccess(of: id, on: connection) }
            if newRole != before.account.role {
                let detail = JSONValue.object([
                    .init("from", .string(before.account.role.rawValue)), .init("to", .string(newRole.rawValue)),
                ])
                try await Audit.record(
                    "account.role", of: id, by: principal.account.id, detail: detail, on: connection)
            }
            if isDisabled != wasDisabled {
                try await Audit.record(
                    isDisabled ? "account.disable" : "account.enable", of: id, by: principal.account.id, on: connection)
            }
            return try Profile.read(await connection.query(Profile.select + "\nWHERE a.id = \(id)").single())
        }
    }

    /// Locks every admin who can sign in until the transaction ends, always in the same order, and returns their ids.
    static func lockAdmins(on connection: Connection) async throws -> [UUID] {
        try await connection.query(
            """
            SELECT id FROM account WHERE role = 'admin' AND disabled_at IS NULL ORDER BY id FOR NO KEY UPDATE
            """
        ).map { try $0.decode(UUID.self) }
    }

    /// Throws 409 if this account is the last admin.
    static func checkAdmins(_ admins: [UUID], without id: UUID) throws {
        if admins == [id] { throw Problem(.lastAdmin, "Make somebody else an admin first.") }
    }
}
