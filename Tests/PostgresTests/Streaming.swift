import Postgres
import Testing

@Suite struct Streaming {
    @Test func millionRowsArriveInOrder() async throws {
        let connection = try await Fixture().connect()
        var next = 1
        for try await rows in connection.rows("SELECT n FROM generate_series(1, \(1_000_000)::int) n") {
            for row in rows {
                if try row.decode(Int.self) != next { break }
                next += 1
            }
        }
        #expect(next == 1_000_001)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func largeRowsArriveInSmallBatches() async throws {
        let connection = try await Fixture().connect()
        var (rows, largest) = (0, 0)
        for try await chunk in connection.rows("SELECT repeat('x', 100000) FROM generate_series(1, 500)") {
            rows += chunk.count
            largest = max(largest, chunk.count)
        }
        #expect(rows == 500 && largest <= 11)
    }

    @Test func serverWaitsForASlowReader() async throws {
        let fixture = try await Fixture()
        let connection = try await fixture.connect()
        let process = try await connection.query("SELECT pg_backend_pid()")[0].decode(Int.self)
        let watching = try await fixture.connect()
        var rowCount = 0
        for try await rows in connection.rows("SELECT repeat('x', 1000) FROM generate_series(1, 50000)") {
            if rowCount == 0 {
                try await eventually {
                    let waits = try await watching.query(
                        "SELECT wait_event FROM pg_stat_activity WHERE pid = \(process)::int AND state = 'active'")
                    return try waits[0].decode(String?.self) == "ClientWrite"
                }
            }
            rowCount += rows.count
        }
        #expect(rowCount == 50_000)
    }

    @Test func leavingEarlyFreesTheConnection() async throws {
        let connection = try await Fixture().connect()
        for _ in 0..<5 {
            for try await _ in connection.rows("SELECT generate_series(1, 100000000)") { break }
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func leavingEarlyDoesNotBreakATransaction() async throws {
        let connection = try await Fixture().connect()
        let two = try await connection.transaction { connection in
            for try await _ in connection.rows("SELECT n FROM generate_series(1, 100000) n") { break }
            return try await connection.query("SELECT 2")[0].decode(Int.self)
        }
        #expect(two == 2)
    }

    @Test func concurrentStatementIsRefused() async throws {
        let connection = try await Fixture().connect()
        var rowCount = 0
        for try await rows in connection.rows("SELECT n FROM generate_series(1, 1000) n") {
            let isFirst = rowCount == 0
            rowCount += rows.count
            if isFirst {
                #expect(await refusal { try await connection.query("SELECT 1") }?.kind == .busy)
            }
        }
        #expect(rowCount == 1000)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func errorInTheMiddleIsThrown() async throws {
        let connection = try await Fixture().connect()
        var rowCount = 0
        let error = await refusal {
            for try await rows in connection.rows("SELECT 1 / (5000 - n) FROM generate_series(1, 10000) n") {
                rowCount += rows.count
            }
        }
        #expect(error?.sqlState == "22012")
        #expect(rowCount > 0)
        #expect(try await connection.query("SELECT 1").count == 1)
        #expect(
            await refusal { for try await _ in connection.rows("SELECT * FROM nowhere") {} }?.sqlState == "42P01")
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func cancelledReaderStopsTheServer() async throws {
        let connection = try await Fixture().connect()
        let task = Task {
            for try await _ in connection.rows("SELECT generate_series(1, 100000000), pg_sleep(0.001)") {}
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(await refusal { try await task.value }?.kind == .cancelled)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func copyIsRefused() async throws {
        let fixture = try await Fixture()
        let connection = try await fixture.connect()
        try await connection.script("CREATE TABLE item (id int PRIMARY KEY)")
        for sql in ["COPY item FROM STDIN", "COPY (SELECT generate_series(1, 100000)) TO STDOUT"] {
            let copy = Statement(unsafeSQL: sql)
            #expect(await refusal { try await connection.query(copy) }?.kind == .busy)
            #expect(await refusal { for try await _ in connection.rows(copy) {} }?.kind == .busy)
            #expect(await refusal { try await connection.script(sql) } != nil)
            #expect(try await connection.query("SELECT 1").count == 1)
            let other = try await fixture.connect()
            #expect(await refusal { try await other.pipeline([copy, copy]) }?.kind == .closed)
            #expect(!other.wasIdle)
        }
    }
}
