import Cryptography
import Foundation
import Postgres

/// Facts about a database, read without changing it.
public struct DatabaseFacts: Sendable {
    /// The oldest major version of PostgreSQL that the schema supports.
    public static let oldestMajor = 15
    /// The version of libpq.
    public static var libraryVersion: String { LibPQVersion.current }

    /// The version as the server reports it, such as `15.10 (Debian 15.10-0+deb12u1)`.
    public var serverVersion: String
    public var serverMajor: Int
    public var encoding: String
    public var user: String
    /// The roles among `afterword_owner` and `afterword_app` that the user is a member of.
    public var roles: [String]
    /// Settings with which data may be lost in a power failure. Empty unless `fsync` or `synchronous_commit` is off.
    public var unsafeSettings: [String]
    /// PostgreSQL's folder. Nil if the server may be on another machine, or if the user may not know its folder.
    public var folder: String?
    /// Whether the database has the Citus extension.
    public var hasCitus: Bool
    /// The stored check values of the secret file's keys, by key number. Empty if no service has used the database.
    /// They reveal nothing about the keys.
    public internal(set) var checkValues: [Int: [UInt8]]

    /// Whether a service has used this database, so that it can be used only with the same secret file.
    public var isKeyed: Bool { !checkValues.isEmpty }

    public static func read(url: String) async throws -> DatabaseFacts {
        try await Connection.with(PostgresConfiguration(url: url)) { try await read(on: $0) }
    }

    /// Whether the traffic to the database is protected against eavesdropping and tampering. Nil for an invalid URL.
    public static func isProtected(url: String, environment: [String: String]) -> Bool? {
        try? ConnectionOptions(url: url).areProtected(environment: environment)
    }

    /// Returns the reason why a service cannot start with this secret file; nil if it can.
    public func refusal(of ring: KeyRing) throws -> KeyRing.Failure? {
        try ring.refusal(byCheckValues: checkValues)
    }

    public static func read(on connection: Connection) async throws -> DatabaseFacts {
        let rows = try await connection.query(
            """
            SELECT current_setting('server_version'), current_setting('server_version_num')::int / 10000,
                current_setting('server_encoding'), current_user::text,
                ARRAY(SELECT rolname::text FROM pg_roles
                      WHERE rolname IN ('afterword_owner', 'afterword_app') AND pg_has_role(oid, 'MEMBER')
                      ORDER BY rolname),
                ARRAY(SELECT name || ' = off' FROM unnest(ARRAY['fsync', 'synchronous_commit']) AS name
                      WHERE current_setting(name) = 'off'),
                to_regclass('secret_key') IS NOT NULL,
                EXISTS (SELECT FROM pg_extension WHERE extname = 'citus'),
                CASE WHEN inet_server_addr() IS NULL AND pg_has_role('pg_read_all_settings', 'USAGE')
                    THEN current_setting('data_directory') END
            """)
        let (version, major, encoding, user, roles, settings, hasKeys, hasCitus, folder) = try rows.single().decode(
            String.self, Int.self, String.self, String.self, [String].self, [String].self, Bool.self,
            Bool.self, String?.self)
        var checkValues: [Int: [UInt8]] = [:]
        if hasKeys {
            for row in try await connection.query("SELECT id, check_value FROM secret_key ORDER BY id") {
                let (number, value) = try row.decode(Int.self, [UInt8].self)
                checkValues[number] = value
            }
        }
        return DatabaseFacts(
            serverVersion: version, serverMajor: major, encoding: encoding, user: user, roles: roles,
            unsafeSettings: settings, folder: folder, hasCitus: hasCitus, checkValues: checkValues)
    }
}
