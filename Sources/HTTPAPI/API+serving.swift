import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Logging
import NIOCore
import NIOPosix
import StrictJSON

extension API: HTTPApplication {
    public func shortCall(for head: PlainHead) -> (any ShortCall)? { RouteShortCall(head, self) }

    public func respondsCompletely(to head: PlainHead) -> Bool {
        guard case .found(let index, _) = table.match(.get, head.path) else { return true }
        return !table.routes[index].isStreamed
    }

    public func malformedHeadResponse() -> (head: HTTPResponse, body: ByteBuffer) {
        let id = RequestID.make()
        let body = ByteBuffer(bytes: Problem(.badRequest, "The request's head is malformed.").json(request: id).bytes)
        var headers: HTTPFields = [
            .contentType: MediaType.problem, .contentLength: String(body.readableBytes), .cacheControl: "no-store",
            .connection: "close", .requestID: id.lowercased,
        ]
        policy.protect(&headers)
        return (HTTPResponse(status: .badRequest, headerFields: headers), body)
    }

    public func run(logger: Logger) async { await live?.run(logger: logger) }

    public func stop() { live?.stop() }

    /// Serves `/livez` and `/readyz` on a port and a thread of their own, where they wait neither for other
    /// requests nor for a free connection.
    ///
    /// - Parameter metrics: The API's metrics, which count these requests too.
    public func healthServer(
        metrics: PrometheusRegistry, host: String, port: Int, logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) throws -> Server<API> {
        let routes = table.routes.filter { ["/livez", "/readyz"].contains($0.path) }
        return Server(
            try API(routes: routes, authenticate: { _ in nil }, metrics: metrics, limits: limits),
            host: host, port: port, connections: 32, threads: MultiThreadedEventLoopGroup(numberOfThreads: 1),
            logger: logger, onListening: onListening)
    }
}
