import HTTPServer
import HTTPTypes
import Logging
import NIOCore

/// A plain request that its route's shortcut may serve.
struct RouteShortCall: ShortCall {
    let api: API
    let head: PlainHead
    let credentials: Credentials?
    let parameters: [(name: Substring, value: String)]
    /// The route's index in the table.
    let index: Int
    let shortcut: Route.Shortcut
    let start = ContinuousClock.now

    /// Returns nil if the route has no shortcut, and for every head that needs further checks.
    init?(_ head: PlainHead, _ api: API) {
        guard case .found(let index, let parameters) = api.table.match(head.method == .post ? .post : .get, head.path),
            let shortcut = api.table.routes[index].shortcut
        else { return nil }
        let route = api.table.routes[index]
        guard Self.canUseShortcut(route), Self.hasSuitableBody(head), head.value("if-none-match") == nil,
            ContentNegotiation.admits(head.value("accept"), route.produces)
        else { return nil }
        if route.access == .participant, let authorization = head.value("authorization") {
            guard let credentials = try? Credentials(parsing: authorization) else { return nil }
            self.credentials = credentials
        } else {
            credentials = nil
        }
        (self.api, self.head, self.index, self.parameters, self.shortcut) = (api, head, index, parameters, shortcut)
    }

    /// Whether the route is of a kind that a shortcut can serve: a participant's POST with JSON, or a GET for anyone.
    private static func canUseShortcut(_ route: Route) -> Bool {
        switch (route.method, route.access, route.accepts) {
        case (.post, .participant, .json), (.get, .anyone, .none): true
        default: false
        }
    }

    private static func hasSuitableBody(_ head: PlainHead) -> Bool {
        head.method != .post || head.value("content-type") == MediaType.json
    }

    /// Returns false if the shortcut leaves the request to the handler.
    ///
    /// - Parameter reply: Called once with the response, on any thread.
    func run(
        _ body: ByteBuffer, on channel: any Channel, logger: Logger,
        reply: @escaping @Sendable (@escaping @Sendable () -> Reply) -> Void
    ) -> Bool {
        let (api, index, start, isHead) = (api, index, start, head.method == .head)
        let request = ShortRequest(
            idempotencyKey: head.value("idempotency-key"), credentials: credentials, body: body,
            clientAddress: { [head] in api.clientAddress(of: channel, forwarded: head.value("x-forwarded-for")) },
            parameters: parameters)
        return shortcut(request) { outcome in
            reply {
                let (id, route) = (RequestID.make(), api.table.routes[index])
                let response: APIResponse
                do {
                    response = try outcome()
                } catch {
                    response = .problem(api.problem(error, route, id: id, logger), request: id, access: route.access)
                }
                api.metrics.record(route: index, status: response.status.code, duration: .now - start)
                if route.isLoggable { api.log(response, route, id: id, logger) }
                let finished = api.finish(response, id: id)
                guard case .bytes(let body) = finished.body else {
                    preconditionFailure("A shortcut must not stream its response.")
                }
                return (
                    HTTPResponse(status: finished.status, headerFields: finished.headers), isHead ? ByteBuffer() : body
                )
            }
        }
    }
}
