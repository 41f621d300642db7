import Domain
import Foundation
import Postgres
import StrictJSON

/// A form that a host saved as a template.
public struct SavedTemplate: Sendable {
    public var id: UUID
    public var name: String
    public var ownerID: UUID
    /// The current name of the owner's account.
    public var owner: String
    /// The number of questions.
    public var questions: Int
    /// Nil in lists, because definitions can be large.
    public var definition: FormDefinition?
    public var createdAt: Date
    public var updatedAt: Date

    /// - Parameter definition: An expression: the definition, or NULL.
    static func select(definition: Statement = "t.definition") -> Statement {
        """
        SELECT t.id, t.name, t.owner_id, a.name, jsonb_array_length(t.definition -> 'questions'),
            \(fragment: definition), t.created_at, t.updated_at
        FROM saved_template t JOIN account a ON a.id = t.owner_id
        """
    }

    static func read(_ row: Row) throws -> SavedTemplate {
        var columns = Columns(row)
        return SavedTemplate(
            id: try columns.next(), name: try columns.next(), ownerID: try columns.next(), owner: try columns.next(),
            questions: try columns.next(),
            definition: try (columns.next() as String?).map { try FormDefinition(json: StoredJSON.parse($0)) },
            createdAt: try columns.next(), updatedAt: try columns.next())
    }
}

/// The templates that hosts saved. Every account may read them; only the owner and admins change them.
public struct SavedTemplates: Sendable {
    /// The id and name of a template, for menus.
    public struct Name: Sendable {
        public var id: UUID
        public var name: String
    }

    /// The maximum number of templates of one account.
    public static let maxCount = 100

    let pool: Pool

    /// Returns the templates of all accounts, the newest first.
    ///
    /// - Parameter last: The last template of the previous page; nil for the first page.
    public func list(after last: UUID? = nil, limit: Int) async throws -> [SavedTemplate] {
        var statement = SavedTemplate.select(definition: "NULL::jsonb")
        if let last { statement += "\nWHERE t.id < \(last)" }
        return try await pool.query(statement + "\nORDER BY t.id DESC LIMIT \(limit)").map(SavedTemplate.read)
    }

    /// Returns the names to offer to an account: its own templates, then those of others, the newest first.
    public func names(for accountID: UUID, limit: Int) async throws -> [Name] {
        try await pool.query(
            """
            SELECT id, name FROM saved_template ORDER BY (owner_id = \(accountID)) DESC, id DESC LIMIT \(limit)
            """
        ).map { row in
            let (id, name) = try row.decode(UUID.self, String.self)
            return Name(id: id, name: name)
        }
    }

    public func require(_ id: UUID) async throws -> SavedTemplate {
        try SavedTemplate.read(await pool.query(SavedTemplate.select() + "\nWHERE t.id = \(id)").requireFirst())
    }

    /// Saves a template. Throws 422 if the account has too many.
    public func create(
        _ draft: SavedTemplateDraft, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (SavedTemplate) throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        let (id, accountID) = (UUIDv7.make(), principal.account.id)
        return try await pool.once(request) { connection in
            // This also locks the account, so that concurrent calls do not exceed the maximum.
            try await principal.confirm(on: connection)
            let count = try await connection.query(
                "SELECT count(*) FROM saved_template WHERE owner_id = \(accountID)"
            ).single().decode(Int.self)
            guard count < Self.maxCount else {
                throw Problem([
                    Fault(
                        .invalid, at: "/name", code: "too-many-templates",
                        "An account has at most \(Self.maxCount) templates; delete one first.")
                ])
            }
            try await connection.execute(
                """
                INSERT INTO saved_template (id, owner_id, name, definition)
                VALUES (\(id), \(accountID), \(draft.name), \(JSONB(draft.definition.json.text)))
                """)
            try await Audit.record("template.create", of: id, by: accountID, on: connection)
            return try render(
                SavedTemplate.read(
                    await connection.query(SavedTemplate.select() + "\nWHERE t.id = \(id)").single()))
        }
    }

    public func rename(_ id: UUID, to name: String, by principal: Principal) async throws -> SavedTemplate {
        try await pool.transaction { connection in
            try await Self.lock(id, for: principal, on: connection)
            try await connection.execute(
                "UPDATE saved_template SET name = \(name), updated_at = now() WHERE id = \(id)")
            try await Audit.record("template.edit", of: id, by: principal.account.id, on: connection)
            return try SavedTemplate.read(
                await connection.query(SavedTemplate.select() + "\nWHERE t.id = \(id)").single())
        }
    }

    /// Deletes a template. Forms that began with it stay as they are.
    public func delete(_ id: UUID, by principal: Principal) async throws {
        try await pool.transaction { connection in
            try await Self.lock(id, for: principal, on: connection)
            try await connection.execute("DELETE FROM saved_template WHERE id = \(id)")
            try await Audit.record("template.delete", of: id, by: principal.account.id, on: connection)
        }
    }

    /// Locks the template. Throws 404 if there is none, and 403 unless the caller is its owner or an admin.
    private static func lock(_ id: UUID, for principal: Principal, on connection: Connection) async throws {
        let caller = try await principal.confirm(on: connection)
        let ownerID = try await connection.query(
            "SELECT owner_id FROM saved_template WHERE id = \(id) FOR UPDATE"
        ).requireFirst().decode(UUID.self)
        guard caller.isAdmin || ownerID == caller.account.id else {
            throw Problem(.forbidden, "Only the owner of a template and admins may change it.")
        }
    }
}
