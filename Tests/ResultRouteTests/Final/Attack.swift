import Cryptography
import Foundation
import Postgres
import TestSupport

@testable import Store

/// The attempts of an attacker who has the database. The attacker also knows the people in the hall, the order in which
/// they came and, for some attempts, the secret file.
struct Attack {
    let hall: KnownHall
    let connection: Connection
    var form: Statement { hall.meeting.formID }

    /// The texts that a statement returns, in the order of its rows.
    private func texts(_ statement: Statement) async throws -> [String] {
        try await connection.query(statement).map { row in try row.decode(String.self) }
    }

    private func linking(_ texts: [String]) -> Linking {
        Linking(guess: hall.order(in: texts), truth: hall.present.map(\.number))
    }

    /// The success of guessing the order of the people, by the column from which the order is guessed.
    func orders() async throws -> [String: Linking] {
        var orders: [String: Linking] = [:]
        for (name, order) in [
            ("ctid", "s.ctid"), ("xmin", "s.xmin::text::bigint, s.ctid"), ("id", "s.id"),
            ("day", "s.submitted_on, s.updated_at, s.ctid"), ("cmin", "s.cmin::text::bigint, s.ctid"),
            ("step", "s.step, s.former, s.id"),
        ] {
            orders[name] = linking(
                try await texts(
                    """
                    SELECT s.answers->>'better' FROM submission s
                    WHERE s.form_id = \(fragment: form) AND NOT s.withdrawn ORDER BY \(fragment: Statement(unsafeSQL: order))
                    """))
        }
        orders["dump"] = linking(try await texts("SELECT s::text FROM submission s"))
        orders["index"] = linking(
            try await texts(
                """
                SELECT s.answers->>'better' FROM submission s JOIN (
                    SELECT i.page, position(uuid_send(t.id) IN get_raw_page('submission_pkey', i.page)) AS place, t.id
                    FROM submission t, generate_series(0, pg_relation_size('submission_pkey')::int / 8192 - 1) AS i (page)
                    WHERE t.form_id = \(fragment: form)
                ) p ON p.id = s.id AND p.place > 0
                WHERE s.form_id = \(fragment: form) AND NOT s.withdrawn ORDER BY p.page, p.place DESC
                """))
        return orders
    }

    /// The success of guessing the order of the long texts, from the ids and from the positions of their TOAST rows.
    func longTexts() async throws -> [Linking] {
        let toast = try await connection.query(
            "SELECT reltoastrelid::regclass::text FROM pg_class WHERE oid = 'submission'::regclass"
        ).single().decode(String.self)
        let truth = hall.present.map(\.number).filter { $0 % 4 == 0 }
        var linkings: [Linking] = []
        for order: Statement in ["chunk_id", "ctid"] {
            let chunks = try await texts(
                """
                SELECT encode(chunk_data, 'escape') FROM \(fragment: Statement(unsafeSQL: toast)) t
                WHERE chunk_seq = 0 ORDER BY t.\(fragment: order)
                """)
            linkings.append(Linking(guess: hall.order(in: chunks), truth: truth))
        }
        return linkings
    }

    /// The number of submissions whose id or key MAC can be recomputed from the secret file, the salt and the people's
    /// requests.
    func recomputed(salt: [UInt8]) async throws -> Int {
        let keys = FormKeys(secret: hall.service.fixture.secret, salt: salt)
        let ids = hall.people.flatMap { [keys.id(respondent: $0.device), keys.id(idempotencyKey: $0.key)] }
        let macs = hall.people.map { keys.mac(idempotencyKey: $0.key) }
        return try await connection.query(
            "SELECT count(*) FROM submission WHERE id = ANY (\(ids)) OR key_mac = ANY (\(macs))"
        ).single().decode(Int.self)
    }

    func salt() async throws -> [UInt8]? {
        try await connection.query("SELECT salt FROM form_salt WHERE form_id = \(fragment: form)")
            .first?.decode([UInt8].self)
    }

    /// The answers of the last participant, guessed from the most recently written tallies, as buckets by question.
    func lastWritten() async throws -> [String: [String]] {
        let rows = try await connection.query(
            """
            SELECT question, array_agg(bucket ORDER BY bucket) FROM (
                SELECT t.question, t.bucket, t.xmin::text::bigint AS writer, max(t.xmin::text::bigint) OVER () AS last
                FROM tally t WHERE t.form_id = \(fragment: form) AND t.bucket NOT LIKE '#%' AND t.count > 0
            ) w WHERE writer = last GROUP BY question
            """)
        return try Dictionary(
            uniqueKeysWithValues: rows.map { row in try row.decode(String.self, [String].self) })
    }

    /// Whether the tallies' rows are stored in the order of their names, which reveals nothing.
    func talliesAreSorted() async throws -> Bool {
        let names = try await texts(
            "SELECT question || ' ' || bucket FROM tally t WHERE t.form_id = \(fragment: form) ORDER BY t.ctid")
        return names == names.sorted()
    }

    /// The relations whose pages contain these bytes, even in free space, each with the number of pairs of a page and a
    /// trace in it.
    func remains(of traces: [[UInt8]]) async throws -> [String] {
        try await connection.query(
            """
            SELECT c.relname || ' ' || count(*) FROM pg_class c,
                generate_series(0, pg_relation_size(c.oid)::int / 8192 - 1) AS b (page),
                unnest(\(traces)) AS t (bytes)
            WHERE c.relkind IN ('r', 'i', 't') AND (c.relname IN ('submission', 'submission_pkey', 'tally', 'tally_pkey',
                'form_salt', 'form_salt_pkey', 'timeline', 'outbox', 'audit', 'idempotency', 'webhook_result',
                'webhook_delivery', 'live_ticket', 'form_state')
                OR c.oid = (SELECT reltoastrelid FROM pg_class WHERE oid = 'submission'::regclass))
                AND position(t.bytes IN get_raw_page(c.oid::regclass::text, b.page)) > 0
            GROUP BY c.relname ORDER BY 1
            """
        ).map { row in try row.decode(String.self) }
    }

    /// The tables that contain one of these texts in a row, each with the number of matches.
    func mentions(of texts: [String]) async throws -> [String] {
        let tables = try await connection.query(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        ).map { row -> String in try row.decode(String.self) }
        var matches: [String] = []
        for table in tables {
            let count = try await connection.query(
                """
                SELECT count(*) FROM \(identifier: table) AS r, unnest(\(texts)) AS t (words)
                WHERE strpos(r::text, t.words) > 0
                """
            ).single().decode(Int.self)
            if count > 0 { matches.append("\(table) \(count)") }
        }
        return matches
    }
}
