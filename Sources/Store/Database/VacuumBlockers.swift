import Postgres

/// The sessions and other holders that prevent PostgreSQL from removing deleted rows: older transactions, replication
/// slots and prepared transactions.
///
/// The snapshots of other users' sessions are visible only to a superuser and to members of `pg_read_all_stats`. Those
/// of the connecting user's sessions are always visible.
///
/// On a Citus cluster, the rows are on the workers, so that the holders of each server count.
enum VacuumBlockers {
    /// The next transaction id of each server at one time, as text.
    struct Mark: Hashable, Sendable {
        var local: String
        /// By worker of a Citus cluster.
        var workers: [String: String] = [:]
    }

    static func mark(on connection: Connection) async throws -> Mark {
        let next = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text" as Statement
        return Mark(
            local: try await connection.query(next).single().decode(String.self),
            workers: try await CitusWorkers.values(of: next.sql, on: connection))
    }

    /// Returns the marks that no holder is older than.
    static func passed(_ marks: Set<Mark>, on connection: Connection) async throws -> Set<Mark> {
        try await asSessionUser(on: connection) {
            let rows = try await connection.query(
                """
                WITH holder AS MATERIALIZED (\(fragment: holders))
                SELECT m.mark FROM unnest(\(marks.map(\.local))) AS m (mark)
                WHERE NOT EXISTS (SELECT FROM holder h WHERE h.age > age(m.mark::xid8::xid))
                """)
            let passed = Set(try rows.map { row -> String in try row.decode(String.self) })
            let ids = Set(marks.flatMap(\.workers.values)).joined(separator: ",")
            let passedAtWorkers = try await CitusWorkers.values(
                of: """
                    WITH holder AS MATERIALIZED (\(holders.sql))
                    SELECT coalesce(string_agg(m.mark, ','), '') FROM string_to_table('\(ids)', ',') AS m (mark)
                    WHERE NOT EXISTS (SELECT FROM holder h WHERE h.age > age(m.mark::xid8::xid))
                    """, on: connection
            ).mapValues { $0.split(separator: ",").map(String.init) }
            return marks.filter { mark in
                passed.contains(mark.local)
                    && mark.workers.allSatisfy { passedAtWorkers[$0.key]?.contains($0.value) == true }
            }
        }
    }

    /// Returns descriptions of the holders that are older than a mark.
    static func names(before mark: Mark, on connection: Connection) async throws -> [String] {
        try await asSessionUser(on: connection) {
            let rows = try await connection.query(
                """
                SELECT h.name FROM (\(fragment: holders)) h WHERE h.age > age(\(mark.local)::xid8::xid)
                ORDER BY h.age DESC LIMIT 10
                """)
            var names = try rows.map { row -> String in try row.decode(String.self) }
            for (worker, id) in mark.workers.sorted(by: { $0.key < $1.key }) {
                let found = try await namesAtWorkers(where: "h.age > age('\(id)'::xid8::xid)", on: connection)
                names += found.filter { $0.worker == worker }.map(\.name)
            }
            return names
        }
    }

    /// Returns descriptions of the holders that are older than this number of seconds, or whose age is unknown.
    static func names(after seconds: Double, on connection: Connection) async throws -> [String] {
        let names = try await connection.query(
            """
            SELECT h.name FROM (\(fragment: holders)) h
            WHERE h.age > 0 AND (h.since IS NULL OR h.since < now() - make_interval(secs => \(seconds)))
            ORDER BY h.age DESC LIMIT 10
            """
        ).map { row -> String in try row.decode(String.self) }
        let condition =
            "h.age > 0 AND (h.since IS NULL OR h.since < now() - make_interval(secs => \(seconds)))"
        return names + (try await namesAtWorkers(where: condition, on: connection).map(\.name))
    }

    private static func namesAtWorkers(
        where condition: String, on connection: Connection
    ) async throws -> [(worker: String, name: String)] {
        try await CitusWorkers.values(
            of: """
                SELECT coalesce(string_agg(found.name, E'\\n'), '') FROM (SELECT h.name FROM (\(holders.sql)) h
                    WHERE \(condition) ORDER BY h.age DESC LIMIT 10) AS found
                """, on: connection
        ).sorted { $0.key < $1.key }.flatMap { worker, names in
            names.split(separator: "\n").map { (worker, "\($0) on the worker \(worker)") }
        }
    }

    /// Returns the number of other users' sessions whose snapshots are not visible.
    static func hiddenSessionCount(on connection: Connection) async throws -> Int {
        let count = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND query = '<insufficient privilege>'
            """ as Statement
        let local = try await connection.query(count).single().decode(Int.self)
        return try await CitusWorkers.values(of: count.sql, on: connection).values.reduce(local) {
            $0 + (Int($1) ?? 0)
        }
    }

    /// Selects all holders. Once no holder is older than a mark, none can become older.
    ///
    /// Sessions that vacuum are left out, because they do not block another vacuum. The last part finds a transaction
    /// whose session is not visible, such as a writer in another database: it holds back the snapshots of all
    /// transactions that begin in the meantime. Finding it needs no privilege.
    private static let holders: Statement = """
        SELECT greatest(age(a.backend_xid), CASE WHEN a.datname = current_database() OR a.backend_type = 'walsender'
                THEN age(a.backend_xmin) END) AS age,
            a.xact_start AS since,
            format('process %s of %s (%s), in a transaction since %s UTC', a.pid, a.usename,
                coalesce(nullif(a.application_name, ''), a.backend_type),
                to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')) AS name
        FROM pg_stat_activity a
        WHERE a.pid <> pg_backend_pid()
            AND NOT EXISTS (SELECT FROM pg_stat_progress_vacuum v WHERE v.pid = a.pid)
        UNION ALL
        SELECT age(s.xmin), NULL, format('the replication slot %s', s.slot_name)
        FROM pg_replication_slots s WHERE s.xmin IS NOT NULL
        UNION ALL
        SELECT age(p.transaction), p.prepared, format('the prepared transaction %s', p.gid)
        FROM pg_prepared_xacts p
        UNION ALL
        SELECT age(n.oldest), NULL, 'a transaction that cannot be seen'
        FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::xid AS oldest) n
        WHERE NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.backend_xid = n.oldest)
            AND NOT EXISTS (SELECT FROM pg_prepared_xacts p WHERE p.transaction = n.oldest)
        """

    /// Runs `body` as the session user, because the service's role cannot see the snapshots of any session, not even of
    /// the service's own.
    private static func asSessionUser<T>(
        on connection: Connection, _ body: () async throws -> T
    ) async throws -> T {
        let role = try await connection.query("SELECT current_setting('role')").single().decode(String.self)
        try await connection.script("SET ROLE NONE")
        let value = try await body()
        try await connection.execute("SELECT set_config('role', \(role), false)")
        return value
    }
}
