import Foundation
import Postgres

/// Reads how much space the database uses, and how long its queues of mails and deliveries are. File sizes and
/// estimates keep this fast, however much is stored.
public struct DatabaseUsage: Sendable {
    public struct Table: Sendable, Equatable {
        public var name: String
        /// The size including indexes and TOAST tables.
        public var bytes: Int
        /// The estimated number of rows from the last analysis of the table; nil if there was none.
        public var rows: Int?
    }

    public struct Queue: Sendable, Equatable {
        public var waiting: Int
        /// The creation time of the oldest waiting entry.
        public var oldest: Date?
    }

    public struct Submissions: Sendable, Equatable {
        /// Nil when there is no estimate yet.
        public var count: Int?
        public var isExact: Bool
    }

    public struct Reading: Sendable, Equatable {
        /// The server's version, such as `15.10`.
        public var postgres: String
        /// Nil when the service's role may not read it.
        public var databaseBytes: Int?
        /// The tables by size, the largest first.
        public var tables: [Table]
        public var outbox: Queue
        public var deliveries: Queue
        public var submissions: Submissions
        /// The number of meetings, including those in the trash.
        public var meetings: Int
    }

    static let maxTables = 50
    /// Reading a table's size waits while the table is locked, for example by `VACUUM FULL`; after the timeout, the
    /// request fails with 503. Compiling these statements with JIT would take longer than running them.
    private static let settings: Statement = """
        SELECT set_config('lock_timeout', '1s', true), set_config('statement_timeout', '4s', true),
            set_config('jit', 'off', true)
        """

    let pool: Pool
    /// The size of `form_state` in bytes up to which the submissions of all forms are added up. For a larger table,
    /// their number is estimated.
    var maxSummedBytes = 16 << 20

    public func read() async throws -> Reading {
        try await pool.transaction(inTurn: false) { connection in
            try await connection.query(Self.settings)
            let tables = try await connection.query(Self.tables).map { row throws -> Table in
                let (name, bytes, rows) = try row.decode(String.self, Int.self, Int?.self)
                return Table(name: name, bytes: bytes, rows: rows)
            }
            var columns = Columns(try await connection.query(Self.facts(maxSummedBytes: maxSummedBytes)).single())
            return Reading(
                postgres: try columns.next(), databaseBytes: try columns.next(), tables: tables,
                outbox: Queue(waiting: try columns.next(), oldest: try columns.next()),
                deliveries: Queue(waiting: try columns.next(), oldest: try columns.next()),
                submissions: Submissions(count: try columns.next(), isExact: try columns.next()),
                meetings: try columns.next())
        }
    }

    /// Selects the tables that the migrations created, and no other tables in the same database.
    static let tables: Statement = """
        SELECT c.relname::text, s.bytes, CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint END
        FROM pg_class ours
            JOIN pg_class c ON c.relnamespace = ours.relnamespace AND c.relkind = 'r'
                AND (c.relowner = ours.relowner OR c.oid IN ('schema_migration'::regclass, 'schema_function'::regclass))
            CROSS JOIN LATERAL (SELECT pg_total_relation_size(c.oid)) AS s (bytes)
        WHERE ours.oid = 'submission'::regclass AND s.bytes IS NOT NULL
        ORDER BY s.bytes DESC, c.relname LIMIT \(maxTables)
        """

    static func facts(maxSummedBytes: Int) -> Statement {
        """
        WITH forms AS MATERIALIZED (SELECT pg_relation_size('form_state') <= \(maxSummedBytes) AS are_few)
        SELECT split_part(current_setting('server_version'), ' ', 1),
            CASE WHEN has_database_privilege(current_database(), 'CONNECT')
                    OR pg_has_role('pg_read_all_stats', 'USAGE')
                THEN pg_database_size(current_database()) END,
            m.waiting, m.oldest, d.waiting, d.oldest,
            CASE WHEN forms.are_few THEN (SELECT coalesce(sum(submissions), 0)::bigint FROM form_state)
                ELSE (SELECT CASE WHEN reltuples >= 0 THEN reltuples::bigint END FROM pg_class
                      WHERE oid = 'submission'::regclass) END,
            forms.are_few,
            (SELECT count(*) FROM meeting)
        FROM forms,
            (SELECT count(*), min(created_at) FROM outbox
             WHERE sent_at IS NULL AND failed_at IS NULL) AS m (waiting, oldest),
            (SELECT count(*), min(created_at) FROM webhook_delivery
             WHERE delivered_at IS NULL AND failed_at IS NULL) AS d (waiting, oldest)
        """
    }
}
