import Domain
import HTTPTypes
import Logging
import NIOCore

/// A plain request on its way to its route's shortcut.
struct ShortCall {
    typealias Answer = (head: HTTPResponse, body: ByteBuffer)

    let api: API
    let head: HTTPRequest
    let credentials: Credentials?
    let parameters: [(name: Substring, value: String)]
    /// The route's place in the table.
    let index: Int
    let shortcut: Route.Shortcut
    let start = ContinuousClock.now

    /// Nil where the route has no shortcut, and for every head of which anything is left to judge, such as a query, a
    /// content coding or an expectation.
    init?(_ head: HTTPRequest, _ api: API) {
        guard head.method == .post, let path = head.path, Self.isPath(path),
            let fields = PlainFields(head.headerFields),
            case .found(let index, let parameters) = api.table.match(head.method, path)
        else { return nil }
        let route = api.table.routes[index]
        guard let shortcut = route.shortcut, case .json = route.accepts, route.access == .participant,
            ContentNegotiation.admits(fields.accept, route.produces)
        else { return nil }
        credentials = fields.authorization.flatMap { try? Credentials(parsing: $0) }
        guard fields.authorization == nil || credentials != nil else { return nil }
        (self.api, self.head, self.index, self.parameters, self.shortcut) = (api, head, index, parameters, shortcut)
    }

    /// Whether it is nothing but a path.
    private static func isPath(_ target: String) -> Bool {
        !target.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
    }

    /// False where the shortcut leaves the request to the ordinary way.
    ///
    /// - Parameter reply: told what makes the answer, once, on any thread.
    func run(
        _ body: ByteBuffer, logger: Logger, reply: @escaping @Sendable (@escaping @Sendable () -> Answer) -> Void
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
                let finished = api.finish(answer, head, id: id)
                guard case .bytes(let body) = finished.body else { preconditionFailure("A shortcut streams nothing.") }
                return (HTTPResponse(status: finished.status, headerFields: finished.headers), body)
            }
        }
    }
}
