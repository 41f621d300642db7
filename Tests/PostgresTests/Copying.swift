import Foundation
import Postgres
import Testing

@Suite struct Copying {
    @Test func millionRowsArriveInOrder() async throws {
        let connection = try await Fixture().connect()
        var next = 1
        for try await rows in connection.copiedRows("SELECT n FROM generate_series(1, 1000000) n") {
            try rows.forEach { row in
                if try row.decode(Int.self, at: 0, of: .int4) == next { next += 1 }
            }
        }
        #expect(next == 1_000_001)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func copiedValuesEqualThoseOfAQuery() async throws {
        let connection = try await Fixture().connect()
        let id = UUID()
        let query: Statement = """
            SELECT \(literal: id)::uuid, NULL::text, '', 'é"', ARRAY['a', NULL], true, '{"a": 1}'::jsonb
            FROM generate_series(1, 2)
            """
        let expected = try await connection.query(query)[0]
        var count = 0
        for try await rows in connection.copiedRows(query) {
            rows.forEach { row in
                count += 1
                #expect(row.count == expected.count)
                for column in 0..<row.count { #expect(row[column].map(Array.init) == expected[column]) }
            }
            try rows.forEach { row in
                let decodedID = try row.decode(UUID.self, at: 0, of: .uuid)
                let missing = try row.decode(String?.self, at: 1, of: .text)
                let list = try row.decode([String?].self, at: 4, of: .text)
                #expect(decodedID == id && missing == nil && list == ["a", nil])
                #expect(throws: PostgresError.self) { try row.decode(Int.self, at: 7, of: .int4) }
            }
        }
        #expect(count == 2)
    }

    @Test func emptyResultHasNoChunk() async throws {
        let connection = try await Fixture().connect()
        for try await _ in connection.copiedRows("SELECT 1 WHERE false") { Issue.record("a chunk without rows") }
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func largeRowsArriveInSmallChunks() async throws {
        let connection = try await Fixture().connect()
        var (count, largest) = (0, 0)
        for try await rows in connection.copiedRows("SELECT repeat('x', 100000) FROM generate_series(1, 500)") {
            count += rows.count
            largest = max(largest, rows.count)
        }
        #expect(count == 500 && largest == 1)
    }

    @Test func leavingEarlyFreesTheConnection() async throws {
        let connection = try await Fixture().connect()
        for _ in 0..<5 {
            for try await _ in connection.copiedRows("SELECT generate_series(1, 100000000)") { break }
            #expect(try await connection.query("SELECT 1").count == 1)
        }
        let two = try await connection.transaction { connection in
            for try await _ in connection.copiedRows("SELECT n FROM generate_series(1, 100000) n") { break }
            return try await connection.query("SELECT 2")[0].decode(Int.self)
        }
        #expect(two == 2)
    }

    @Test func errorsAreThrownAndLeaveTheConnectionUsable() async throws {
        let connection = try await Fixture().connect()
        let failing: [(Statement, String)] = [
            ("SELECT 1 / (50000 - n) FROM generate_series(1, 100000) n", "22012"), ("SELECT * FROM nowhere", "42P01"),
            ("SELECT \(1)::int", "42P02"),
        ]
        for (query, state) in failing {
            let error = await refusal { for try await _ in connection.copiedRows(query) {} }
            #expect(error?.sqlState == state)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func otherStatementsAreRefusedDuringACopy() async throws {
        let connection = try await Fixture().connect()
        var count = 0
        for try await rows in connection.copiedRows("SELECT n FROM generate_series(1, 100000) n") {
            if count == 0 { #expect(await refusal { try await connection.query("SELECT 1") }?.kind == .busy) }
            count += rows.count
        }
        #expect(count == 100_000)
    }

    @Test func cancelledReaderStopsTheServer() async throws {
        let connection = try await Fixture().connect()
        let task = Task {
            for try await _ in connection.copiedRows("SELECT generate_series(1, 100000000), pg_sleep(0.001)") {}
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(await refusal { try await task.value }?.kind == .cancelled)
        #expect(try await connection.query("SELECT 1").count == 1)
    }
}
