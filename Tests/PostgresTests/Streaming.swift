import Foundation
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
        var seen = 0
        for try await rows in connection.rows("SELECT repeat('x', 1000) FROM generate_series(1, 50000)") {
            if seen == 0 {
                try await eventually {
                    let waits = try await watching.query(
                        "SELECT wait_event FROM pg_stat_activity WHERE pid = \(process)::int AND state = 'active'")
                    return try waits[0].decode(String?.self) == "ClientWrite"
                }
            }
            seen += rows.count
        }
        #expect(seen == 50_000)
    }

    @Test func leavingEarlyFreesTheConnection() async throws {
        let connection = try await Fixture().connect()
        for _ in 0..<5 {
            for try await _ in connection.rows("SELECT generate_series(1, 100000000)") { break }
            #expect(try await connection.query("SELECT 1").count == 1)
            for try await _ in connection.copyOut("COPY (SELECT generate_series(1, 100000000)) TO STDOUT") { break }
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func leavingEarlyDoesNotBreakATransaction() async throws {
        let connection = try await Fixture().connect()
        let two = try await connection.transaction { connection in
            for try await _ in connection.rows("SELECT n FROM generate_series(1, 100000) n") { break }
            for try await _ in connection.copyOut("COPY (SELECT generate_series(1, 100000)) TO STDOUT") { break }
            return try await connection.query("SELECT 2")[0].decode(Int.self)
        }
        #expect(two == 2)
    }

    @Test func concurrentStatementIsRefused() async throws {
        let connection = try await Fixture().connect()
        var seen = 0
        for try await rows in connection.rows("SELECT n FROM generate_series(1, 1000) n") {
            let isFirst = seen == 0
            seen += rows.count
            if isFirst {
                #expect(await refusal { try await connection.query("SELECT 1") }?.kind == .busy)
            }
        }
        #expect(seen == 1000)
        #expect(try await connection.query("SELECT 1").count == 1)
    }

    @Test func errorInTheMiddleIsThrown() async throws {
        let connection = try await Fixture().connect()
        var seen = 0
        let error = await refusal {
            for try await rows in connection.rows("SELECT 1 / (5000 - n) FROM generate_series(1, 10000) n") {
                seen += rows.count
            }
        }
        #expect(error?.sqlState == "22012")
        #expect(seen > 0)
        #expect(try await connection.query("SELECT 1").count == 1)
        #expect(
            await refusal { for try await _ in connection.rows("SELECT * FROM nowhere") {} }?.sqlState == "42P01")
        #expect(await refusal { for try await _ in connection.copyOut("SELECT 1") {} }?.kind == .busy)
        #expect(
            await refusal { for try await _ in connection.copyOut("COPY nowhere TO STDOUT") {} }?.sqlState == "42P01")
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

    @Test func millionRowsAreCopiedOut() async throws {
        let connection = try await Fixture().connect()
        var lines = 0
        var largest = 0
        for try await bytes in connection.copyOut("COPY (SELECT generate_series(1, \(1_000_000)::int)) TO STDOUT") {
            lines += bytes.reduce(0) { $0 + ($1 == 10 ? 1 : 0) }
            largest = max(largest, bytes.count)
        }
        #expect(lines == 1_000_000)
        #expect(largest < 1 << 17)
    }

    @Test func parametersOfACopyAreQuotedByTheServer() async throws {
        let connection = try await Fixture().connect()
        let texts = ["'; DROP TABLE x; --", "a\\b", nil, "é"]
        let id = UUID()
        let date = Date(timeIntervalSince1970: 1_700_000_000.125)
        var copied: [UInt8] = []
        let copy: Statement = """
            COPY (SELECT t, \(id), \(date) = '2023-11-14 22:13:20.125Z', \([1, 2, 3] as [UInt8]), \(nil as Int?) IS NULL
                  FROM unnest(\(texts)) t) TO STDOUT (FORMAT csv)
            """
        for try await bytes in connection.copyOut(copy) { copied += bytes }
        let same = "\(id.uuidString.lowercased()),t,\\x010203,t"
        #expect(
            String(decoding: copied, as: UTF8.self)
                == "'; DROP TABLE x; --,\(same)\na\\b,\(same)\n,\(same)\né,\(same)\n")
    }

    @Test func copiedRowsAreStored() async throws {
        let connection = try await Fixture().connect()
        try await connection.script("CREATE TABLE item (id int PRIMARY KEY, body text)")
        let lines = (0..<200).map { chunk in
            Array((0..<500).map { "\(chunk * 500 + $0)\tbody \($0)\n" }.joined().utf8)
        }
        #expect(try await connection.copyIn("COPY item FROM STDIN", from: chunks(lines)) == 100_000)
        #expect(try await connection.query("SELECT count(*) FROM item")[0].decode(Int.self) == 100_000)
        let empty = try await connection.copyIn("COPY item FROM STDIN", from: chunks([]))
        #expect(empty == 0)
    }

    @Test func failedSourceStoresNothing() async throws {
        let connection = try await Fixture().connect()
        try await connection.script("CREATE TABLE item (id int PRIMARY KEY)")
        await #expect(throws: SourceFailure.self) {
            try await connection.copyIn(
                "COPY item FROM STDIN", from: chunks([Array("1\n".utf8)], fails: true))
        }
        let duplicate = Array("1\n1\n".utf8)
        #expect(
            await refusal { try await connection.copyIn("COPY item FROM STDIN", from: chunks([duplicate])) }?
                .violates("item_pkey") == true)
        #expect(
            await refusal { try await connection.copyIn("COPY item TO STDOUT", from: chunks([duplicate])) }?.kind
                == .busy)
        #expect(try await connection.query("SELECT count(*) FROM item")[0].decode(Int.self) == 0)
    }

    @Test func cancelledSourceStoresNothing() async throws {
        let connection = try await Fixture().connect()
        try await connection.script("CREATE TABLE item (id int PRIMARY KEY)")
        let (source, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        continuation.yield(Array("1\n".utf8))
        let task = Task { try await connection.copyIn("COPY item FROM STDIN", from: source) }
        try await eventually {
            await refusal { try await connection.query("SELECT 1") }?.kind == .busy
        }
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(try await connection.query("SELECT count(*) FROM item")[0].decode(Int.self) == 0)
    }

    @Test func copyAsAnOrdinaryStatementIsRefused() async throws {
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

private struct SourceFailure: Error {}

/// A stream of chunks that ends or fails.
private func chunks(_ chunks: [[UInt8]], fails: Bool = false) -> AsyncThrowingStream<[UInt8], any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
    for chunk in chunks { continuation.yield(chunk) }
    continuation.finish(throwing: fails ? SourceFailure() : nil)
    return stream
}
