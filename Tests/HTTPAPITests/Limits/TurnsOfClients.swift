import HTTPAPI
import HTTPServer
import HTTPTypes
import NIOCore
import Postgres
import Store
import Synchronization
import TestSupport
import Testing

/// Clients that wait for a connection to the database.
@Suite(.timeLimit(.minutes(15))) struct TurnsOfClients {
    /// The requests of other addresses that were answered while the first address still waits.
    private final class Progress: Sendable {
        private let state = Mutex((answered: 0, before: [Int]()))

        func flooderIsAnswered() { state.withLock { $0.answered += 1 } }
        func otherIsAnswered() { state.withLock { $0.before.append($0.answered) } }
        /// For each request of others, how many requests of the first address were answered before it.
        var before: [Int] { state.withLock(\.before) }
    }

    /// All connections are in use while 100 requests of one address with unknown codes arrive, and after them another
    /// address reads a form and answers another one. With one form, the requests would share a connection, so that
    /// the test could not see when both wait.
    @Test func floodOfOneAddressDoesNotDelayOthers() async throws {
        try await TestService.run { service in
            let (pool, count, port) = (service.fixture.store.pool, 100, service.anyone.port)
            let (read, answered) = (try await service.openMeeting().code, try await service.openMeeting().code)
            let progress = Progress()
            // All requests share one connection, so that the order of answers is the order of turns.
            try await Self.holdConnections(pool.size - 1, of: pool) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    try await Self.holdConnections(1, of: pool) {
                        for number in 0..<count {
                            group.addTask {
                                let line = "GET /v1/forms/fffff\(1000 + number)abcd"
                                try await Self.send(line, "", from: "127.0.0.2", to: port)
                                progress.flooderIsAnswered()
                            }
                        }
                        try await eventually("the requests wait") { pool.statistics.waiting == count }
                        for line in ["GET /v1/forms/\(read)", "POST /v1/forms/\(answered)/submissions"] {
                            group.addTask {
                                let body = line.hasPrefix("POST") ? #"{"answers": {"pace": 3}}"# : ""
                                let response = try await Self.send(line, body, from: "127.0.0.3", to: port)
                                #expect(response.hasPrefix("HTTP/1.1 20"), "\(response.prefix(200))")
                                progress.otherIsAnswered()
                            }
                        }
                        try await eventually("another address waits") { pool.statistics.waiting == count + 2 }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(progress.before.count == 2)
            for before in progress.before { #expect(before < count / 2, "\(progress.before)") }
        }
    }

    /// Runs `body` while this number of connections are in use.
    private static func holdConnections(
        _ count: Int, of pool: Pool, _ body: () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        try await pool.withConnection { _ in try await holdConnections(count - 1, of: pool, body) }
    }

    @discardableResult
    private static func send(_ line: String, _ body: String, from address: String, to port: Int) async throws -> String
    {
        try await RawConnection.open(port: port, from: address) { raw in
            await raw.exchange(
                "\(line) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    @Test func requestsBelongToTheirAddressOrAccount() async throws {
        let clients = Mutex<[DatabaseClient]>([])
        let note = { @Sendable in clients.withLock { $0.append(.current) } }
        let api = try SampleAPI.api(adding: [
            Route(.get, "/noted", access: .anyone) { _ in
                note()
                return .noContent
            },
            Route(.get, "/noted/mine", access: .account(.readMeetings)) { _ in
                note()
                return .noContent
            },
            Route(.get, "/noted.csv", access: .account(.readMeetings), produces: [MediaType.csv], streamed: true) { _ in
                .stream(as: MediaType.csv) { _ in
                    note()
                    return nil
                }
            },
        ])
        try await LiveServer.run(api) { client, _ in
            for (path, token) in [("/noted", nil), ("/noted/mine", "host"), ("/noted.csv", "host")] {
                _ = try await client.get(path, headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
            }
        }
        let account = DatabaseClient.account(SampleAPI.accountID)
        #expect(clients.withLock(\.self) == [.address("127.0.0.1"), account, account])
        #expect(DatabaseClient.current == .service)
    }
}
