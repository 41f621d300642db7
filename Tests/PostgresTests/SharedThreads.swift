import Testing

@testable import Postgres

@Suite struct SharedThreads {
    /// An actor with a connection, on its thread.
    private actor Owner {
        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        private nonisolated let thread: ThreadExecutor
        private let configuration: PostgresConfiguration

        init(_ configuration: PostgresConfiguration) throws(PostgresError) {
            self.configuration = configuration
            thread = try ThreadExecutor()
        }

        deinit { thread.stop() }

        private var isAtHome: Bool { thread.isIsolatingCurrentContext() == true }

        /// The results on consecutive connections, and whether all ran on the same thread.
        func ask(_ times: Int) async throws -> (answers: [Int], stayed: Bool) {
            var (answers, stayed) = ([Int](), isAtHome)
            for time in 0..<times {
                let connection = try await Connection.connect(configuration, on: thread)
                stayed = stayed && isAtHome
                answers.append(try await connection.query("SELECT \(time)")[0].decode(Int.self))
                stayed = stayed && isAtHome
                await connection.close()
            }
            return (answers, stayed)
        }

        /// The first connection is closed while the second is open.
        func outlive() async throws -> Int {
            let first = try await Connection.connect(configuration, on: thread)
            let second = try await Connection.connect(configuration, on: thread)
            try await first.query("SELECT 1")
            _ = consume first
            return try await second.query("SELECT 2")[0].decode(Int.self)
        }
    }

    @Test func actorAndItsConnectionsShareAThread() async throws {
        let owner = try await Owner(Fixture().configuration)
        let (answers, stayed) = try await owner.ask(3)
        #expect(answers == [0, 1, 2])
        #expect(stayed)
    }

    @Test(.timeLimit(.minutes(1))) func closedConnectionLeavesTheThreadToOthers() async throws {
        let owner = try await Owner(Fixture().configuration)
        for _ in 0..<20 { #expect(try await owner.outlive() == 2) }
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
        #expect(try await owner.ask(1).answers == [0])
    }
}
