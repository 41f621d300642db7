import Postgres

/// A key of the secret file, and how many forms and webhooks of a database use it.
public struct KeyUse: Sendable, Equatable {
    public var number: Int
    /// The number of forms, including final ones.
    public var forms: Int
    /// The number of final forms. For an anonymous one, only the ids and the order of its texts are derived from the
    /// key.
    public var finalForms: Int
    public var webhooks: Int

    /// Returns the keys that the database has recorded, ordered by number.
    public static func read(url: String) async throws -> [KeyUse] {
        try await Connection.with(PostgresConfiguration(url: url)) { try await read(on: $0) }
    }

    static func read(on connection: Connection) async throws -> [KeyUse] {
        var uses: [Int: KeyUse] = [:]
        for row in try await connection.query("SELECT id FROM secret_key") {
            let number = try row.decode(Int.self)
            uses[number] = KeyUse(number: number, forms: 0, finalForms: 0, webhooks: 0)
        }
        let forms = try await connection.query(
            "SELECT key_id, count(*), count(*) FILTER (WHERE state = 'final') FROM form_state GROUP BY key_id")
        for row in forms {
            let (number, count, final) = try row.decode(Int.self, Int.self, Int.self)
            uses[number]?.forms = count
            uses[number]?.finalForms = final
        }
        for row in try await connection.query("SELECT key_id, count(*) FROM webhook GROUP BY key_id") {
            let (number, count) = try row.decode(Int.self, Int.self)
            uses[number]?.webhooks = count
        }
        return uses.values.sorted { $0.number < $1.number }
    }
}
