import Domain
import Postgres
import StrictJSON

/// The IANA zones that the database knows, read once. The database's own check also accepts abbreviations and POSIX
/// rules, and its list contains files that are not zones: `localtime`, which is the machine's own, and `Factory`, for
/// machines without configuration.
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
        guard try await known().contains(name) else {
            throw Problem([
                Fault(
                    .invalid, at: pointer, code: "unknown-time-zone",
                    "A time zone is an IANA name, such as Europe/Berlin.")
            ])
        }
    }

    /// Reads the names unless they have been read; after that, this actor needs no connection.
    func load() async throws {
        _ = try await known()
    }

    private func known() async throws -> Set<String> {
        if let names { return names }
        let read = try await Self.read(pool)
        names = read
        return read
    }

    /// Reads the names from the database, which reads one file per zone.
    static func read(_ pool: Pool) async throws -> Set<String> {
        let rows = try await pool.query(
            """
            SELECT name FROM pg_timezone_names
            WHERE name !~ '^(posix|right)' AND name NOT IN ('localtime', 'Factory')
            """)
        return Set(try rows.map { row -> String in try row.decode(String.self) })
    }
}
