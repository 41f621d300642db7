import Foundation
import Postgres
import Testing

@Suite struct PoolLending {
    @Test func fiftyTasksShareFourConnections() async throws {
        let fixture = try await Fixture()
        let pool = fixture.pool(size: 4)
        try await pool.execute("CREATE TABLE counter (n int)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    for number in 0..<20 { try await pool.execute("INSERT INTO counter VALUES (\(number))") }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await pool.query("SELECT count(*) FROM counter")[0].decode(Int.self) == 1000)
        #expect(pool.statistics.connections <= 4)
        #expect(pool.statistics.waiting == 0)
    }

    @Test func waitersAreServedInTheOrderOfTheirArrival() async throws {
        let pool = try await Fixture().pool(size: 1)
        let record = NumberLog()
        let callers = try await pool.withConnection { _ in
            var callers: [Task<Void, any Error>] = []
            for number in 0..<10 {
                let caller = Task<Void, any Error> {
                    try await pool.withConnection { _ in
                        _ = record.append(number)
                    }
                }
                callers.append(caller)
                try await eventually { pool.statistics.waiting == number + 1 }
            }
            return callers
        }
        for caller in callers { try await caller.value }
        #expect(record.numbers == Array(0..<10))
    }

    @Test func clientsTakeTurns() async throws {
        let order = try await Self.order { waiting in
            for number in 0..<100 { try await waiting.add(number, of: .address("192.0.2.1")) }
            try await waiting.add(100, of: .address("192.0.2.2"))
            try await waiting.add(101, of: .account(UUID()))
            try await waiting.add(102, of: .address("192.0.2.2"))
        }
        #expect(order == [0, 100, 101, 1, 102] + Array(2..<100))
    }

    @Test func everySecondTurnIsOfTheService() async throws {
        let order = try await Self.order { waiting in
            for number in 0..<3 { try await waiting.add(number, of: .address("192.0.2.\(number)")) }
            for number in 3..<8 { try await waiting.add(number, of: .service) }
        }
        #expect(order == [3, 0, 4, 1, 5, 2, 6, 7])
    }

    @Test func cancelledCallerPassesItsTurnOn() async throws {
        let order = try await Self.order { waiting in
            for number in 0..<3 { try await waiting.add(number, of: .address("192.0.2.1")) }
            let only = try await waiting.add(3, of: .address("192.0.2.2"))
            for number in 4..<6 { try await waiting.add(number, of: .address("192.0.2.3")) }
            only.cancel()
            try await eventually { waiting.pool.statistics.waiting == 5 }
        }
        #expect(order == [0, 4, 1, 5, 2])
    }

    /// Callers that wait for the only connection of a pool.
    private final class Waiting {
        let pool: Pool
        let record = NumberLog()
        private(set) var callers: [Task<Void, any Error>] = []

        init(for pool: Pool) { self.pool = pool }

        /// Adds a caller, and returns once it waits.
        @discardableResult
        func add(_ number: Int, of client: PoolClient) async throws -> Task<Void, any Error> {
            let caller = start(number, of: client)
            callers.append(caller)
            let (pool, count) = (pool, callers.count)
            try await eventually { pool.statistics.waiting == count }
            return caller
        }

        private func start(_ number: Int, of client: PoolClient) -> Task<Void, any Error> {
            PoolClient.$current.withValue(client) {
                Task { [pool, record] in try await pool.withConnection { _ in _ = record.append(number) } }
            }
        }
    }

    /// The numbers of the callers that `add` adds, in the order in which they got the connection.
    private static func order(adding add: (Waiting) async throws -> Void) async throws -> [Int] {
        let waiting = Waiting(for: try await Fixture().pool(size: 1, acquireTimeout: .seconds(60)))
        try await waiting.pool.withConnection { _ in try await add(waiting) }
        for caller in waiting.callers { _ = await caller.result }
        #expect(waiting.pool.statistics.waiting == 0)
        return waiting.record.numbers
    }

    @Test func waitingTimesOut() async throws {
        let pool = try await Fixture().pool(size: 1, acquireTimeout: .seconds(2))
        try await pool.withConnection { _ in
            #expect(await refusal { try await pool.query("SELECT 1") }?.kind == .timeout)
        }
        #expect(pool.statistics.waiting == 0)
        #expect(try await pool.query("SELECT 1").count == 1)
    }

    @Test func cancelledWaiterLeavesTheQueue() async throws {
        let pool = try await Fixture().pool(size: 1)
        try await pool.withConnection { _ in
            let task = Task { try await pool.query("SELECT 1") }
            try await eventually { pool.statistics.waiting == 1 }
            task.cancel()
            #expect(await refusal { try await task.value }?.kind == .cancelled)
            #expect(pool.statistics.waiting == 0)
        }
        #expect(try await pool.query("SELECT 1").count == 1)
    }

    @Test func returnedConnectionIsReset() async throws {
        let pool = try await Fixture().pool(size: 1)
        try await pool.execute("CREATE TABLE item (id int)")
        try await pool.withConnection { try await $0.script("BEGIN; INSERT INTO item VALUES (1)") }
        #expect(try await pool.query("SELECT count(*) FROM item")[0].decode(Int.self) == 0)
        let stream = try await pool.withConnection { connection in
            var iterator = connection.rows("SELECT generate_series(1, 100000000)").makeAsyncIterator()
            _ = try await iterator.next()
            return iterator
        }
        #expect(try await pool.query("SELECT 1").count == 1)
        var late = stream
        #expect(await refusal { try await late.next() }?.kind == .closed)
        #expect(pool.statistics.connections == 1)
    }

    @Test func connectionClosedByTheServerIsReplaced() async throws {
        let fixture = try await Fixture()
        let pool = fixture.pool(size: 2)
        let process = try await pool.query("SELECT pg_backend_pid()")[0].decode(Int.self)
        try await fixture.connect().query("SELECT pg_terminate_backend(\(process)::int, 10000)")
        // The idle connection has an unread closing message of the server, which must not become a statement's result.
        #expect(try await pool.query("SELECT pg_backend_pid()")[0].decode(Int.self) != process)
        #expect(pool.statistics.connections == 1)
    }

    /// A server that has become a replica refuses writes. The next connection may lead to the new primary.
    @Test func connectionToAServerThatRefusesWritesIsReplaced() async throws {
        let pool = try await Fixture().pool(size: 1)
        try await pool.execute("SET default_transaction_read_only = on")
        let error = await #expect(throws: PostgresError.self) { try await pool.execute("CREATE TABLE written (n int)") }
        #expect(error?.sqlState == "25006" && error?.isConnectionLost == true)
        try await pool.execute("CREATE TABLE written (n int)")
        #expect(pool.statistics.connections == 1)
    }

    @Test func errorReturnsTheConnection() async throws {
        let pool = try await Fixture().pool(size: 1)
        for _ in 0..<3 {
            #expect(await refusal { try await pool.query("SELECT 1/0") }?.sqlState == "22012")
        }
        #expect(pool.statistics == PoolStatistics(connections: 1, idle: 1, waiting: 0))
    }

    @Test func closedPoolRefusesRequests() async throws {
        let pool = try await Fixture().pool(size: 1)
        let waiting = try await pool.withConnection { connection in
            let task = Task { try await pool.query("SELECT 1") }
            try await eventually { pool.statistics.waiting == 1 }
            await pool.close()
            #expect(try await connection.query("SELECT 1").count == 1)
            return task
        }
        #expect(await refusal { try await waiting.value }?.kind == .closed)
        #expect(await refusal { try await pool.query("SELECT 1") }?.kind == .closed)
        #expect(pool.statistics.connections == 0)
    }

    @Test func missingServerIsReportedAtOnce() async throws {
        let pool = Pool(
            Fixture.quiet("postgres:///x?host=/nowhere&user=me"), size: 4, acquireTimeout: .seconds(60))
        let clock = ContinuousClock()
        let elapsed = await clock.measure {
            await withTaskGroup(of: PostgresError?.self) { group in
                for _ in 0..<200 { group.addTask { await refusal { try await pool.query("SELECT 1") } } }
                for await error in group { #expect(error?.kind == .connectionFailed) }
            }
        }
        // No task waited until its timeout.
        #expect(elapsed < .seconds(60))
        #expect(pool.statistics == PoolStatistics(connections: 0, idle: 0, waiting: 0))
    }
}
