import Foundation
import Postgres
import Testing

@Suite struct Cancellation {
    @Test func runningStatementIsCancelled() async throws {
        let connection = try await Fixture().connect()
        for milliseconds in [0, 1, 5, 50] {
            let task = Task { try await connection.query("SELECT pg_sleep(60)") }
            try await Task.sleep(for: .milliseconds(milliseconds))
            task.cancel()
            #expect(await refusal { try await task.value }?.kind == .cancelled)
            #expect(try await connection.query("SELECT 1").count == 1)
        }
    }

    @Test func cancellationDoesNotAffectTheNextStatement() async throws {
        let connection = try await Fixture().connect()
        for round in 0..<100 {
            let task = Task { try await connection.query("SELECT pg_sleep(0.002)") }
            try await Task.sleep(for: .microseconds(round * 40))
            task.cancel()
            let error = await refusal { try await task.value }
            #expect(error == nil || error?.kind == .cancelled)
            #expect(try await connection.query("SELECT pg_sleep(0.001)").count == 1)
        }
    }

    @Test func statementTimeoutIsNotACancellation() async throws {
        let connection = try await Fixture().connect()
        try await connection.script("SET statement_timeout = '10ms'")
        let error = await refusal { try await connection.query("SELECT pg_sleep(60)") }
        #expect(error?.kind == .server && error?.sqlState == "57014")
    }

    @Test func cancelledPipelineStoresNothing() async throws {
        let connection = try await Fixture().connect()
        try await connection.script("CREATE TABLE item (id int)")
        let task = Task {
            try await connection.pipeline(["INSERT INTO item VALUES (1)", "SELECT pg_sleep(60)", "SELECT 1"])
        }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        #expect(await refusal { try await task.value }?.kind == .cancelled)
        #expect(try await connection.query("SELECT count(*) FROM item")[0].decode(Int.self) == 0)
    }

    @Test func waitingStatementsBlockNoOtherTask() async throws {
        let fixture = try await Fixture()
        let sleeperCount = ProcessInfo.processInfo.activeProcessorCount * 4
        let clock = ContinuousClock()
        var connections: [Connection] = []
        for _ in 0..<sleeperCount { connections.append(try await fixture.connect()) }
        let tasks = connections.map { connection in Task { try await connection.query("SELECT pg_sleep(120)") } }
        let elapsed = try await clock.measure {
            for _ in 0..<100 { await Task.yield() }
            try await fixture.connect().query("SELECT 1")
        }
        #expect(elapsed < .seconds(60))
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await refusal { try await task.value }?.kind == .cancelled) }
    }
}
