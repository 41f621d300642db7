import Postgres

/// A proxy in front of the database that may run each transaction on another connection to the server, such as
/// PgBouncer in transaction mode.
public struct Pooler: Sendable {
    /// Why the proxy cannot be used.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    public let url: String

    public init(url: String) { self.url = url }

    /// How requests connect through the proxy.
    var configuration: PostgresConfiguration {
        var configuration = PostgresConfiguration(url: url)
        configuration.keepsSession = false
        return configuration
    }

    /// Reads the facts about the database through the proxy. Throws `Failure` if the proxy cannot be reached, allows no
    /// transactions, or does not lead to the database of the given facts.
    @discardableResult
    public func check(against direct: DatabaseFacts) async throws -> DatabaseFacts {
        let facts: DatabaseFacts
        do {
            facts = try await Connection.with(configuration) { connection in
                try await connection.transaction { try await DatabaseFacts.read(on: $0) }
            }
        } catch let error as PostgresError {
            // PgBouncer reports "transaction blocks not allowed in statement pooling mode".
            guard error.message.contains("statement pooling") else {
                throw Failure(description: "pooler-url cannot be used: \(error)")
            }
            throw Failure(
                description: "pooler-url leads to a proxy that allows no transactions: set pool_mode to transaction.")
        }
        guard facts.checkValues == direct.checkValues else {
            throw Failure(description: "pooler-url leads to another database than database-url.")
        }
        return facts
    }
}

extension DatabaseFacts {
    /// Whether requests with these rights could change tables, a right that they do not need.
    public var mayChangeTables: Bool { roles.contains("afterword_owner") }
}
