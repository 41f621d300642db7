import HTTPAPI
import HTTPServer
import Hummingbird
import Logging
import ServiceLifecycle

/// An API on a free loopback port, for the duration of a test.
public enum LiveServer {
    /// Runs `body` against the service and then stops it gracefully, even if `body` throws.
    ///
    /// - Parameters:
    /// - site: Handles requests before the API.
    /// - connections: The maximum number of open connections.
    /// - connectionsPerAddress: The maximum number of open connections from one client address.
    /// - body: Gets a client, and a closure that starts the shutdown earlier.
    public static func run<Result: Sendable>(
        _ api: API, behind site: (any PlainResponder)? = nil, connections: Int = .max,
        connectionsPerAddress: Int? = nil,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (HTTPTestClient, _ stop: @Sendable () async -> Void) async throws -> Result
    ) async throws -> Result {
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let server = Server(
            api, behind: site, host: "127.0.0.1", port: 0, connections: connections,
            connectionsPerAddress: connectionsPerAddress, logger: logger
        ) { announce.yield($0) }
        let group = ServiceGroup(configuration: .init(services: [server], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { announce.finish() }
                try await group.run()
            }
            var iterator = ports.makeAsyncIterator()
            guard let port = await iterator.next() else {
                try await tasks.waitForAll()
                throw NotListening()
            }
            let outcome: Swift.Result<Result, any Error>
            do {
                outcome = .success(try await body(HTTPTestClient(port: port)) { await group.triggerGracefulShutdown() })
            } catch {
                outcome = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return try outcome.get()
        }
    }

    public struct NotListening: Error {}
}
