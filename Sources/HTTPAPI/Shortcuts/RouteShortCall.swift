import Domain
import HTTPServer
import HTTPTypes
import Logging
import NIOCore

/// A plain request that its route's shortcut may answer.
struct RouteShortCall: ShortCall {

    let api: API
    let head: HTTPRequest
    let credentials: Credentials?
    let parameters: [(name: Substring, value: String)]
    /// The route's index in the table.
    let index: Int
    let shortcut: Route.Shortcut
    /// Whether the client asked to close the connection.
    let closesConnection: Bool
    let start = ContinuousClock.now

    /// Returns nil if the route has no shortcut, and for every head that needs further checks, such as a query, a
    /// content coding or an expectation.
    init?(_ head: HTTPRequest, _ api: API) {
        guard let path = head.path, Self.isPath(path),
            let fields = PlainFields(head.headerFields, hasBody: head.method == .post),
            case .found(let index, let parameters) = api.table.match(head.method, path)
        else { return nil }
        let route = api.table.routes[index]
        guard let shortcut = route.shortcut, Self.isShort(route),
            ContentNegotiation.admits(fields.accept, route.produces)
        else { return nil }
        guard route.access == .participant else {
            credentials = nil
            closesConnection = fields.closesConnection
            (self.api, self.head, self.index, self.parameters, self.shortcut) = (api, head, index, parameters, shortcut)
            return
        }
        closesConnection = false
        credentials = fields.authorization.flatMap { try? Credentials(parsing: $0) }
        guard fields.authorization == nil || credentials != nil else { return nil }
        (self.api, self.head, self.index, self.parameters, self.shortcut) = (api, head, index, parameters, shortcut)
    }

    /// Whether the route is of a kind that a shortcut can serve: a participant's POST with JSON, or a GET for anyone.
    private static func isShort(_ route: Route) -> Bool {
        switch (route.method, route.access, route.accepts) {
        case (.post, .participant, .json), (.get, .anyone, .none): true
        default: false
        }
    }

    /// Whether the request target consists of a path only.
    private static func isPath(_ target: String) -> Bool {
        !target.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }

    /// Returns false if the shortcut leaves the request to the handler.
    ///
    /// - Parameter reply: Called once with the response, on any thread.
    func run(
        _ body: ByteBuffer, logger: Logger, reply: @escaping @Sendable (@escaping @Sendable () -> Reply) -> Void
    ) -> Bool {
        let request = ShortRequest(
            headers: head.headerFields, credentials: credentials, body: body, parameters: parameters)
        let (api, head, index, start) = (api, head, index, start)
        return shortcut(request) { outcome in
            reply {
                let (id, route) = (UUIDv4.make(), api.table.routes[index])
                let answer: APIResponse
                do {
                    answer = try outcome()
                } catch {
                    answer = .problem(api.problem(error, route, id: id, logger), request: id, access: route.access)
                }
                api.metrics.record(route: index, status: answer.status.code, duration: .now - start)
                if route.isLoggable { api.log(answer, route, id: id, logger) }
                let finished = api.finish(answer, head, id: id)
                guard case .bytes(var body) = finished.body else {
                    preconditionFailure("A shortcut must not stream its response.")
                }
                if head.method == .head { body.clear() }
                return (HTTPResponse(status: finished.status, headerFields: finished.headers), body)
            }
        }
    }
}
