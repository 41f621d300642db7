import Testing

@testable import Postgres

@Suite struct SharedThreads {
    /// An actor that runs on its own thread and opens its connections on the same thread.
    private actor Owner {
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        private nonisolated let thread: ThreadExecutor
        private let configuration: PostgresConfiguration

        init(_ configuration: PostgresConfiguration) throws(PostgresError) {
            self.configuration = configuration
            thread = try ThreadExecutor()
        }

        deinit { thread.stop() }

        private var isOnThread: Bool { thread.isIsolatingCurrentContext() == true }

        /// Runs a query on each of several consecutive connections. Returns the results, and whether the actor stayed on
        /// its thread.
        func query(connections count: Int) async throws -> (values: [Int], stayedOnThread: Bool) {
            var (values, stayedOnThread) = ([Int](), isOnThread)
            for number in 0..<count {
                let connection = try await Connection.connect(configuration, on: thread)
                stayedOnThread = stayedOnThread && isOnThread
                values.append(try await connection.query("SELECT \(number)")[0].decode(Int.self))
                stayedOnThread = stayedOnThread && isOnThread
                await connection.close()
            }
            return (values, stayedOnThread)
        }

        /// Runs a query on a connection after another connection on the same thread was released without `close()`.
        func queryAfterReleasingAnother() async throws -> Int {
            let first = try await Connection.connect(configuration, on: thread)
            let second = try await Connection.connect(configuration, on: thread)
            try await first.query("SELECT 1")
            _ = consume first
            return try await second.query("SELECT 2")[0].decode(Int.self)
        }
    }

    @Test func actorAndItsConnectionsShareAThread() async throws {
        let owner = try await Owner(Fixture().configuration)
        let (values, stayedOnThread) = try await owner.query(connections: 3)
        #expect(values == [0, 1, 2])
        #expect(stayedOnThread)
    }

    @Test(.timeLimit(.minutes(1))) func releasedConnectionLeavesTheThreadToOthers() async throws {
        let owner = try await Owner(Fixture().configuration)
        for _ in 0..<20 { #expect(try await owner.queryAfterReleasingAnother() == 2) }
    }

    @Test func statementOnASharedThreadIsCancelled() async throws {
        let owner = try await Owner(Fixture().configuration)
        let (thread, configuration) = (try ThreadExecutor(), try await Fixture().configuration)
        defer { thread.stop() }
        let connection = try await Connection.connect(configuration, on: thread)
        let sleeping = Task { await refusal { try await connection.query("SELECT pg_sleep(600)") } }
        sleeping.cancel()
        #expect(await sleeping.value?.kind == .cancelled)
        #expect(try await connection.query("SELECT 3")[0].decode(Int.self) == 3)
        await connection.close()
        #expect(try await owner.query(connections: 1).values == [0])
    }
}
