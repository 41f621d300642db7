import Domain
import Foundation
import Postgres
import StrictJSON

/// Accounts and their password hashes.
public struct Accounts: Sendable {
    let pool: Pool

    /// The detail of an audit entry for an action at the terminal. No account is signed in there, so the entry names
    /// the affected account as its author.
    private static let terminalDetail = JSONValue.object([.init("by", .string("terminal"))])

    /// Creates an account. Throws a `PostgresError` with the problem `accountExists` when the address is taken,
    /// regardless of case.
    ///
    /// - Parameter passwordLifetime: The seconds until a generated password expires; nil for a password that a person
    ///   chose.
    @discardableResult
    public func create(
        email: EmailAddress, name: String, role: Account.Role, passwordHash: String,
        passwordLifetime: TimeInterval? = nil
    ) async throws -> Account {
        try await pool.transaction { connection in
            let account = try await Self.insert(
                email: email, name: name, role: role, passwordHash: passwordHash, passwordLifetime: passwordLifetime,
                on: connection)
            try await Audit.record(
                "account.create", of: account.id, by: account.id, detail: Self.terminalDetail, on: connection)
            return account
        }
    }

    /// Inserts an account. The caller records the audit entry, because it knows who is responsible.
    package static func insert(
        email: EmailAddress, name: String, role: Account.Role, passwordHash: String,
        passwordLifetime: TimeInterval? = nil, on connection: Connection
    ) async throws -> Account {
        let id = UUIDv7.make()
        let rows = try await connection.query(
            """
            INSERT INTO account (id, email, name, role)
            VALUES (\(id), \(email.text), \(name), \(role.rawValue))
            RETURNING id, email::text, name, role, disabled_at, created_at
            """)
        try await connection.execute(
            """
            INSERT INTO credential (account_id, password_hash, expires_at)
            VALUES (\(id), \(passwordHash), now() + make_interval(secs => \(passwordLifetime)))
            """)
        return try Self.account(try rows.single())
    }

    public func find(email: EmailAddress) async throws -> (account: Account, passwordHash: String)? {
        let rows = try await pool.query(
            """
            SELECT a.id, a.email::text, a.name, a.role, a.disabled_at, a.created_at, c.password_hash
            FROM account a JOIN credential c ON c.account_id = a.id
            WHERE a.email = \(email.text)::citext
            """)
        guard let row = rows.first else { return nil }
        return (try Self.account(row), try row.decode(String.self, at: 6))
    }

    /// Disables the account and ends all its sessions; returns false when no account has the address.
    public func disable(email: EmailAddress) async throws -> Bool {
        try await pool.transaction { connection in
            guard let id = try await Self.lock(email, on: connection) else { return false }
            let disabled = try await connection.execute(
                """
                UPDATE account SET disabled_at = now(), revision = revision + 1
                WHERE id = \(id) AND disabled_at IS NULL
                """)
            try await Self.endAccess(of: id, on: connection)
            if disabled == 1 {
                try await Audit.record("account.disable", of: id, by: id, detail: Self.terminalDetail, on: connection)
            }
            return true
        }
    }

    /// Sets the password and ends all sessions of the account; returns false when no account has the address.
    public func setPassword(email: EmailAddress, hash: String) async throws -> Bool {
        try await pool.transaction { connection in
            guard let id = try await Self.lock(email, on: connection) else { return false }
            try await connection.execute(
                """
                UPDATE credential SET password_hash = \(hash), changed_at = now(), expires_at = NULL
                WHERE account_id = \(id)
                """)
            try await connection.execute("UPDATE account SET revision = revision + 1 WHERE id = \(id)")
            try await Self.endAccess(of: id, on: connection)
            try await Audit.record("account.password", of: id, by: id, detail: Self.terminalDetail, on: connection)
            return true
        }
    }

    private static func lock(_ email: EmailAddress, on connection: Connection) async throws -> UUID? {
        try await connection.query(
            """
            SELECT id FROM account WHERE email = \(email.text)::citext AND deleted_at IS NULL FOR NO KEY UPDATE
            """
        ).first?.decode(UUID.self)
    }

    /// Ends every session, API token and password reset of the account, which must be locked.
    static func endAccess(of id: UUID, on connection: Connection) async throws {
        try await Tokens.revokeAll(of: id, on: connection)
        try await connection.execute("DELETE FROM password_reset WHERE account_id = \(id)")
    }

    public func isEmpty() async throws -> Bool {
        try await pool.query("SELECT NOT EXISTS (SELECT FROM account)").single().decode(Bool.self)
    }

    static func account(_ row: Row) throws -> Account {
        var columns = Columns(row)
        return Account(
            id: try columns.next(), email: try columns.next(), name: try columns.next(),
            role: Account.Role(rawValue: try columns.next()) ?? .host, disabledAt: try columns.next(),
            createdAt: try columns.next())
    }
}

/// A filter for listing accounts. A listed account matches every property that is set.
public struct AccountQuery: Sendable {
    public enum State: String, Sendable, CaseIterable {
        case active
        case disabled
        case deleted
    }

    /// The position of the last account on a page, after which the next page starts.
    public typealias Position = (email: String, id: UUID)

    /// The state to list; nil lists all accounts except deleted ones.
    public var state: State?
    /// A text that the address or name contains, regardless of case.
    public var searchText: String?
    public var after: Position?
    public var limit: Int

    public init(state: State? = nil, searchText: String? = nil, after: Position? = nil, limit: Int = 50) {
        self.state = state
        self.searchText = searchText
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
        if let text = query.searchText {
            statement +=
                " AND (strpos(lower(a.email::text), lower(\(text))) > 0 OR strpos(lower(a.name), lower(\(text))) > 0)"
        }
        if let after = query.after { statement += " AND (a.email, a.id) > (\(after.email)::citext, \(after.id)::uuid)" }
        return try await pool.query(statement + "\nORDER BY a.email, a.id LIMIT \(query.limit)").map(Profile.read)
    }

    /// Changes an account's role, or disables or enables it. Disabling ends every session and API token immediately.
    ///
    /// Throws `lastAdmin` when no admin would be left. All admins are locked first, so that if two admins demote each
    /// other at the same moment, only one of them succeeds.
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
            if newRole != .admin || isDisabled { try Self.requireOtherAdmin(in: admins, than: id) }
            let disabledAt: Statement = !isDisabled ? "NULL" : wasDisabled ? "disabled_at" : "now()"
            try await connection.execute(
                """
                UPDATE account SET role = \(newRole.rawValue), revision = revision + 1,
                    disabled_at = \(fragment: disabledAt)
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

    /// Locks the accounts of all enabled admins until the transaction ends, and returns their ids. The order is fixed,
    /// so that concurrent transactions do not deadlock.
    static func lockAdmins(on connection: Connection) async throws -> [UUID] {
        try await connection.query(
            """
            SELECT id FROM account WHERE role = 'admin' AND disabled_at IS NULL ORDER BY id FOR NO KEY UPDATE
            """
        ).map { try $0.decode(UUID.self) }
    }

    /// Throws 409 if this account is the only admin.
    static func requireOtherAdmin(in admins: [UUID], than id: UUID) throws {
        if admins == [id] { throw Problem(.lastAdmin, "Make another account an admin first.") }
    }
}
