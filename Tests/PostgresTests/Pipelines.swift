import Foundation
import Postgres
import Testing

@Suite struct Pipelines {
    private func connectionWithTable() async throws -> Connection {
        let connection = try await Fixture().connect()
        try await connection.script("CREATE TABLE item (id int CONSTRAINT item_key PRIMARY KEY, body text)")
        return connection
    }

    private func count(_ connection: Connection) async throws -> Int {
        try await connection.query("SELECT count(*) FROM item")[0].decode(Int.self)
    }

    @Test func resultsArriveInOrder() async throws {
        let connection = try await connectionWithTable()
        let results = try await connection.pipeline((0..<20).map { "SELECT \($0), \("n\($0)")" })
        let decoded = try results.map { try $0[0].decode(Int.self, String.self) }
        #expect(decoded.map(\.0) == Array(0..<20))
        #expect(decoded.map(\.1) == (0..<20).map { "n\($0)" })
        #expect(try await connection.pipeline([]).isEmpty)
    }

    @Test func closureRunsAfterSendingAndBeforeTheResults() async throws {
        let fixture = try await Fixture()
        let (holder, connection) = (try await fixture.connect(), try await fixture.connect())
        try await holder.query("SELECT pg_advisory_lock(7)")
        let (sent, send) = AsyncStream<Void>.makeStream()
        // The second statement waits for the lock, which is released once the closure reports that everything is
        // sent.
        async let results = connection.pipeline(["SELECT 1", "SELECT pg_advisory_lock(7), 2"]) { send.yield() }
        for await _ in sent { break }
        try await holder.query("SELECT pg_advisory_unlock(7)")
        let count = try await results.count
        #expect(count == 2)
        #expect(connection.wasIdle)
    }

    @Test func closureDoesNotRunIfNothingCanBeSent() async throws {
        let connection = try await connectionWithTable()
        let error = await refusal {
            try await connection.pipeline([Statement(unsafeSQL: "SELECT '\0'")]) {
                Issue.record("The closure ran although nothing was sent.")
            }
        }
        #expect(error?.kind == .encoding)
        #expect(connection.wasIdle)
        await connection.close()
        #expect(!connection.wasIdle)
        #expect(
            await refusal { try await connection.pipeline(["SELECT 1"]) { Issue.record("The closure ran.") } } != nil)
    }

    @Test func pipelineIsAtomic() async throws {
        let connection = try await connectionWithTable()
        let error = await refusal {
            try await connection.pipeline([
                "INSERT INTO item VALUES (1, 'a')", "INSERT INTO item VALUES (2, 'b')",
                "INSERT INTO item VALUES (1, 'c')", "INSERT INTO item VALUES (3, 'd')",
            ])
        }
        #expect(error?.violates("item_key") == true && error?.pipelineIndex == 2)
        #expect(try await count(connection) == 0)
    }

    @Test func errorsAtTheCommitAreThrown() async throws {
        let connection = try await connectionWithTable()
        try await connection.script(
            "CREATE TABLE part (item int CONSTRAINT part_item REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)")
        // Each statement succeeds; only the implicit COMMIT fails. In the second run, all statements are prepared.
        for _ in 0..<2 {
            let error = await refusal {
                try await connection.pipeline(["INSERT INTO part VALUES (\(7))", "SELECT \(1)"])
            }
            #expect(error?.violates("part_item") == true && error?.sqlState == "23503")
            #expect(error?.pipelineIndex == nil)
            #expect(try await connection.query("SELECT count(*) FROM part")[0].decode(Int.self) == 0)
        }
        try await connection.pipeline(["INSERT INTO part VALUES (\(7))", "INSERT INTO item VALUES (\(7), 'a')"])
        #expect(try await connection.query("SELECT count(*) FROM part")[0].decode(Int.self) == 1)
    }

    @Test func failedPipelineLeavesTheConnectionUsable() async throws {
        let connection = try await connectionWithTable()
        for _ in 0..<3 {
            let error = await refusal {
                try await connection.pipeline(["SELECT 1", "SELECT * FROM nowhere", "SELECT \(1)"])
            }
            #expect(error?.sqlState == "42P01" && error?.pipelineIndex == 1)
            let results = try await connection.pipeline(["SELECT 1", "SELECT \(1)"])
            #expect(results.count == 2)
        }
        try await connection.pipeline(["INSERT INTO item VALUES (1, \("x"))"])
        #expect(try await count(connection) == 1)
    }

    @Test func fiveThousandLargeStatementsDoNotDeadlock() async throws {
        let connection = try await connectionWithTable()
        let body = String(repeating: "x", count: 8000)
        // Each result is as large as its statement, so that both directions fill up.
        let results = try await connection.pipeline(
            (0..<5000).map { "INSERT INTO item VALUES (\($0), \(body)) RETURNING body" })
        #expect(results.count == 5000)
        #expect(try results.allSatisfy { try $0[0].decode(String.self).utf8.count == 8000 })
        #expect(try await count(connection) == 5000)
    }

    @Test func moreStatementsThanTheCacheHoldsStillRun() async throws {
        let connection = try await connectionWithTable()
        let statements = (0..<600).map { Statement(unsafeSQL: "SELECT \($0) + 0") }
        for _ in 0..<2 {
            let results = try await connection.pipeline(statements)
            #expect(try results.map { rows in try rows[0].decode(Int.self) } == Array(0..<600))
        }
        for statement in statements { try await connection.query(statement) }
        let preparedCount = try await connection.query("SELECT count(*) FROM pg_prepared_statements")[0].decode(
            Int.self)
        #expect(preparedCount <= 257)
    }

    @Test func pipelineWorksWithoutPreparedStatements() async throws {
        var configuration = try await Fixture().configuration
        configuration.keepsSession = false
        let connection = try await Connection.connect(configuration)
        #expect(try await connection.pipeline(["SELECT \(1)", "SELECT \(2)"]).count == 2)
        #expect(try await connection.query("SELECT \(1)").count == 1)
        let preparedCount = try await connection.query("SELECT count(*) FROM pg_prepared_statements")[0].decode(
            Int.self)
        #expect(preparedCount == 0)
    }

    @Test func changedTablesDoNotBreakPreparedStatements() async throws {
        let connection = try await connectionWithTable()
        let statement: Statement = "SELECT * FROM item WHERE id = \(1)"
        try await connection.query(statement)
        try await connection.script("ALTER TABLE item ADD COLUMN extra int; INSERT INTO item VALUES (1, 'a', 2)")
        #expect(try await connection.query(statement)[0].decode(Int.self, String.self, Int.self) == (1, "a", 2))
        try await connection.script("ALTER TABLE item DROP COLUMN extra")
        #expect(try await connection.pipeline([statement])[0][0].count == 2)
        try await connection.script("DEALLOCATE ALL")
        #expect(try await connection.query(statement).count == 1)
    }

    @Test func sameTextWithOtherTypesIsAnotherStatement() async throws {
        let connection = try await connectionWithTable()
        #expect(try await connection.query("SELECT \(1)")[0].decode(Int.self) == 1)
        #expect(try await connection.query("SELECT \("a")")[0].decode(String.self) == "a")
    }
}
