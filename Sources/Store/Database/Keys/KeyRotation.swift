import Postgres

/// The addition of a key to the secret file. New forms and webhooks use it; existing ones keep their keys.
///
/// The file is replaced before the key is recorded in the database: a database whose key is in no file could not be
/// opened. A rotation that was interrupted in between is completed by the next one or by the next start of the service.
public struct KeyRotation: Sendable {
    /// The number of the new key.
    public var key: Int
    /// Whether the file had no unused key, so that one has to be added.
    public var addsKey: Bool
    /// The keys that the database had before the rotation.
    public var uses: [KeyUse]

    /// Adds a key. A dry run only determines which number the key would have.
    ///
    /// - Parameters:
    ///   - keys: Reads the file.
    ///   - add: Adds a key with this number to the file, and reads the file again.
    public static func run(
        url: String, isDryRun: Bool, keys: @escaping @Sendable () throws -> KeyRing,
        add: @escaping @Sendable (Int) throws -> KeyRing
    ) async throws -> KeyRotation {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            try await connection.transaction { connection in
                // Two rotations at the same time must not replace each other's file.
                try await connection.query("SELECT pg_advisory_xact_lock(hashtext('afterword/keys'))")
                let facts = try await DatabaseFacts.read(on: connection)
                guard facts.isKeyed else { throw KeyRing.Failure.unusedDatabase }
                var ring = try keys()
                if let refusal = try facts.refusal(of: ring) { throw refusal }
                let addsKey = facts.checkValues[ring.newest] != nil
                let uses = try await KeyUse.read(on: connection)
                let number = addsKey ? ring.newest + 1 : ring.newest
                if !isDryRun {
                    if addsKey { ring = try add(number) }
                    try await Store.check(ring, facts, on: connection)
                }
                return KeyRotation(key: number, addsKey: addsKey, uses: uses)
            }
        }
    }
}
