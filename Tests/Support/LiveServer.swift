import HTTPAPI
import Logging
import ServiceLifecycle

/// An API on a free port of the loopback, for the time of one test.
public enum LiveServer {
    /// Runs `body` against the service and stops it gracefully, also when `body` throws.
    ///
    /// - Parameter body: given a client, and what begins the stop earlier.
    public static func run<Result: Sendable>(
        _ api: API, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (HTTPTestClient, _ stop: @Sendable () async -> Void) async throws -> Result
    ) async throws -> Result {
        try await run(
            logger: logger, server: { HTTPServer(api, host: "127.0.0.1", port: 0, logger: logger, onListening: $0) },
            body)
    }

    /// The same with a server of the caller's, which announces its port.
    public static func run<Result: Sendable>(
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        server make: (_ onListening: @escaping @Sendable (Int) async -> Void) -> HTTPServer,
        _ body: (HTTPTestClient, _ stop: @Sendable () async -> Void) async throws -> Result
    ) async throws -> Result {
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let server = make { announce.yield($0) }
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
