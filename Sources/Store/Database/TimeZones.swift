import Domain
import Postgres
import StrictJSON

/// The IANA zones that the database knows, read once: its own check also takes abbreviations and POSIX rules, and its list
/// has files that name no zone: the machine's own, and the one of machines that nobody has set up.
actor TimeZones {
    private let pool: Pool
    private var names: Set<String>?

    /// - Parameter names: if somebody has read them before.
    init(pool: Pool, names: Set<String>? = nil) {
        self.pool = pool
        self.names = names
    }

    /// Throws a 422 for a name that is none.
    func require(_ name: String, at pointer: String = "/timeZone") async throws {
        guard try await known().contains(name) else {
            throw Problem([
                Fault(
                    .invalid, at: pointer, code: "unknown-time-zone",
                    "A time zone is an IANA name, as Europe/Berlin.")
            ])
        }
    }

    /// Reads the names where that has not happened; from then on nothing here needs a connection.
    func load() async throws {
        _ = try await known()
    }

    private func known() async throws -> Set<String> {
        if let names { return names }
        let read = try await Self.read(pool)
        names = read
        return read
    }

    /// The database reads a file for each.
    static func read(_ pool: Pool) async throws -> Set<String> {
        let rows = try await pool.query(
            """
            SELECT name FROM pg_timezone_names
            WHERE name !~ '^(posix|right)' AND name NOT IN ('localtime', 'Factory')
            """)
        return Set(try rows.map { row -> String in try row.decode(String.self) })
    }
}
