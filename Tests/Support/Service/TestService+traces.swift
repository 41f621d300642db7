import Postgres
import Store

extension TestService {
    /// The tables that contain this text in any column, ignoring case. Columns of bytes are searched too.
    public func tables(containing text: String) async throws -> [String] {
        let pool = fixture.store.pool
        let hexadecimal = text.lowercased().utf8.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
        var tables: [String] = []
        for row in try await pool.query(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
        {
            let table = try row.decode(String.self)
            let rows = try await pool.query(
                """
                SELECT count(*) FROM \(identifier: table) t
                WHERE strpos(lower(t::text), lower(\(text))) > 0 OR strpos(lower(t::text), \(hexadecimal)) > 0
                """)
            if try rows.first?.decode(Int.self) != 0 { tables.append(table) }
        }
        return tables
    }

    public func number(_ statement: Statement) async throws -> Int {
        guard let row = try await fixture.store.pool.query(statement).first else {
            throw TestStore.Missing("a row")
        }
        return try row.decode(Int.self)
    }
}
