import Postgres

/// The sessions and other holders that prevent PostgreSQL from removing deleted rows: older transactions, replication
/// slots and prepared transactions.
///
/// Only a superuser and members of `pg_read_all_stats` see since when other users' sessions hold a snapshot; those of
/// the connecting user are always visible.
enum VacuumBlockers {
    /// Returns the marks (transaction numbers as text) that no holder blocks any more.
    static func passed(_ marks: Set<String>, on connection: Connection) async throws -> Set<String> {
        let rows = try await asSessionUser(on: connection) {
            try await connection.query(
                """
                WITH holder AS MATERIALIZED (\(fragment: all))
                SELECT m.mark FROM unnest(\(Array(marks))) AS m (mark)
                WHERE NOT EXISTS (SELECT FROM holder h WHERE h.age > age(m.mark::xid8::xid))
                """)
        }
        return Set(try rows.map { row -> String in try row.decode(String.self) })
    }

    /// Returns descriptions of the holders of a mark.
    static func names(before mark: String, on connection: Connection) async throws -> [String] {
        let rows = try await asSessionUser(on: connection) {
            try await connection.query(
                """
                SELECT h.name FROM (\(fragment: all)) h WHERE h.age > age(\(mark)::xid8::xid)
                ORDER BY h.age DESC LIMIT 10
                """)
        }
        return try rows.map { row in try row.decode(String.self) }
    }

    /// Returns descriptions of the holders that are older than `seconds`, or whose age is unknown.
    static func names(after seconds: Double, on connection: Connection) async throws -> [String] {
        try await connection.query(
            """
            SELECT h.name FROM (\(fragment: all)) h
            WHERE h.age > 0 AND (h.since IS NULL OR h.since < now() - make_interval(secs => \(seconds)))
            ORDER BY h.age DESC LIMIT 10
            """
        ).map { row in try row.decode(String.self) }
    }

    /// Returns the number of other users' sessions that do not show what they hold.
    static func hidden(on connection: Connection) async throws -> Int {
        try await connection.query(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND query = '<insufficient privilege>'
            """
        ).single().decode(Int.self)
    }

    /// A vacuum does not hold up another vacuum. A writer in another database holds back the snapshots of all
    /// transactions that begin in the meantime: hence the last part, which needs no privilege. Once no holder is older
    /// than a mark, none can become older.
    private static let all: Statement = """
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

    /// Runs `body` as the session user, because the service's role can't see even the service's own sessions.
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
