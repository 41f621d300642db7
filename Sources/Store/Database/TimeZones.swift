import Domain
import Postgres
import StrictJSON

/// The IANA time zones that the database supports. They are read once.
///
/// PostgreSQL's own check of a zone also accepts abbreviations and POSIX rules. Its list of zones contains two that are
/// left out here: `localtime`, the zone of the server, and `Factory`, a placeholder for machines without configuration.
actor TimeZones {
    private let pool: Pool
    private var names: Set<String>?

    /// - Parameter names: The zones, if they have been read before.
    init(pool: Pool, names: Set<String>? = nil) {
        self.pool = pool
        self.names = names
    }

    /// Throws 422 unless the name is a known zone.
    func require(_ name: String, at pointer: String = "/timeZone") async throws {
        guard try await knownNames().contains(name) else {
            throw Problem([
                Fault(
                    .invalid, at: pointer, code: "unknown-time-zone",
                    "A time zone is an IANA name, such as Europe/Berlin.")
            ])
        }
    }

    /// Reads the names unless they have been read; after that, this actor needs no connection.
    func load() async throws {
        _ = try await knownNames()
    }

    private func knownNames() async throws -> Set<String> {
        if let names { return names }
        let zoneNames = try await Self.read(pool)
        names = zoneNames
        return zoneNames
    }

    /// Reads the names from the database. This is slow, because the database reads one file for each zone.
    static func read(_ pool: Pool) async throws -> Set<String> {
        let rows = try await pool.query(
            """
            SELECT name FROM pg_timezone_names
            WHERE name !~ '^(posix|right)' AND name NOT IN ('localtime', 'Factory')
            """)
        return Set(try rows.map { row -> String in try row.decode(String.self) })
    }
}
