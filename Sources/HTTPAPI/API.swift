import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Store

/// The HTTP side of the service: a route table behind one responder that checks access, returns problems and counts
/// requests.
///
/// There is no middleware: what every request needs is done here once, in a fixed order.
public final class API: HTTPResponder {
    /// The account of a bearer token; nil if the token is unknown, expired or revoked.
    public typealias Authenticator = @Sendable (_ token: String) async throws -> Principal?

    public let table: RouteTable
    let authenticate: Authenticator
    let authenticateTicket: Authenticator
    let translate: @Sendable (any Error) -> Problem?
    let metrics: RequestMetrics
    private let registry: PrometheusRegistry
    private let totals = RequestTotalsCounter()
    public let limits: ConnectionLimits
    public let trustedProxies: Int
    /// The event streams, which start and stop with the server.
    let live: LiveHub?
    private let securityLog: SecurityLog
    let policy: ResponsePolicy
    public let bodies = MemoryBudget(limit: 128 << 20)
    public let responses = MemoryBudget(limit: 256 << 20)
    private let writes: KeyedPermits<UUID>

    /// - Parameters:
    ///  - translate: Maps an error of a lower layer to a problem. If it returns nil, the response is a 500, and only
    ///    the log contains the error.
    ///  - trustedProxies: The number of proxies in front that append to `X-Forwarded-For`.
    ///  - policy: Adds headers to all responses.
    ///  - writesOfOneAccount: The largest number of changes that one account makes at once. Further ones wait without a
    ///    connection to the database, so that some connections are left for everybody else.
    ///  - writes: The largest number of changes that all accounts make at once; nil for any number.
    public init(
        routes: [Route], authenticate: @escaping Authenticator,
        authenticateTicket: @escaping Authenticator = { _ in nil },
        translate: @escaping @Sendable (any Error) -> Problem? = { _ in nil }, metrics: PrometheusRegistry,
        limits: ConnectionLimits = ConnectionLimits(), trustedProxies: Int = 0, live: LiveHub? = nil,
        securityLog: SecurityLog? = nil, policy: ResponsePolicy = ResponsePolicy(), writesOfOneAccount: Int = 4,
        writes: Int? = nil
    ) throws(RouteTable.Conflict) {
        table = try RouteTable(routes)
        self.authenticate = authenticate
        self.authenticateTicket = authenticateTicket
        self.translate = translate
        registry = metrics
        self.metrics = RequestMetrics(
            routes.map { ($0.path, $0.method.rawValue) }, in: metrics, totals: totals)
        self.limits = limits
        self.trustedProxies = trustedProxies
        self.live = live
        self.securityLog = securityLog ?? .silent
        self.policy = policy
        self.writes = KeyedPermits(writesOfOneAccount, total: writes)
    }

    /// The requests of this API and of the pages in front of it.
    public var requestTotals: RequestTotals { totals.current }

    /// The number of event streams that are open on this instance.
    public var liveViewers: Int { live?.viewers ?? 0 }

    /// Metrics for pages in front of the API, in the same registry.
    public func metrics(ofPages routes: [(path: String, method: String)]) -> RequestMetrics {
        RequestMetrics(routes, in: registry, totals: totals)
    }

    public func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        try await client(of: request, context).run {
            try await respond(to: request, context: context, isCounted: true)
        }
    }

    /// For whom a request uses the database: the account, once it is known, before that the client address.
    public func client(of request: Request, _ context: ConnectionContext) -> DatabaseClient {
        .address(clientAddress(of: context.channel, forwarded: request.headers[.forwardedFor]).text)
    }

    /// - Parameters:
    ///   - isCounted: Whether metrics count the request; false for one that a page sends, because the page's own
    ///     request is counted.
    ///   - id: The id of the request. A request that a page sends has the id of the page's own request.
    public func respond(
        to request: Request, context: ConnectionContext, isCounted: Bool, id: UUID = RequestID.make()
    ) async throws -> Response {
        let start = ContinuousClock.now
        var routeIndex: Int?
        let response: APIResponse
        switch table.match(request.method, request.uri.path) {
        case .found(let index, let parameters):
            routeIndex = index
            let route = table.routes[index]
            let handled = await respond(request, route, parameters, id: id, context)
            response = route.isEventStream ? handled.with(.accessControlAllowOrigin, "*") : handled
        case .otherMethods(let methods):
            let allowed = methods.map(\.rawValue).joined(separator: ", ")
            let refusal: APIResponse =
                request.method == .options
                ? .noContent : .problem(Problem(.methodNotAllowed, "Allowed methods: \(allowed)."), request: id)
            response = refusal.with(.allow, allowed)
        case .nowhere:
            response = .problem(Problem(.notFound), request: id)
        }
        if isCounted { metrics.record(route: routeIndex, status: response.status.code, duration: .now - start) }
        let finished = finish(response, request.head, id: id)
        return engineResponse(finished, request.method, id: id, context.logger)
    }

    /// Checks access, then the media type, then that the query is empty if the route has no query parameters, and calls
    /// the handler.
    private func respond(
        _ request: Request, _ route: Route, _ parameters: [(name: Substring, value: String)], id: UUID,
        _ context: ConnectionContext
    ) async -> APIResponse {
        let logger = context.logger
        var caller: Principal?
        do {
            let credentials = try credentials(request, route)
            caller = try await self.caller(credentials, route, ticket: ticket(request, route))
            let principal = caller
            try Self.admit(principal, to: route)
            guard ContentNegotiation.admits(request.headers[.accept], route.produces) else {
                let available = route.produces.map(MediaType.essence).joined(separator: ", ")
                throw Problem(.notAcceptable, "Available media types: \(available).")
            }
            if route.query.isEmpty, let query = request.uri.query { try QueryReader(query, known: []).finish() }
            let permit = permit(of: principal, for: request, to: route)
            try await permit?.take()
            defer { permit?.giveBack() }
            let handled = APIRequest(
                id: id, route: route, headers: request.headers, caller: principal, credentials: credentials,
                parameters: parameters, rawQuery: request.uri.query, channel: context.channel,
                underlying: request, trustedProxies: trustedProxies, permit: permit,
                confirm: { [self] waited in try await confirm(principal, credentials, route, waited: waited) })
            let client = principal.map { DatabaseClient.account($0.account.id) } ?? .current
            let response = try await client.run { try await route.handler(handled) }
            if route.isLoggable { log(response, route, id: id, logger) }
            return response
        } catch {
            let problem = problem(error, route, id: id, logger)
            if route.isForAccounts,
                let event = SecurityLog.Event(
                    refusal: problem.code, of: route.path, isSignedIn: caller != nil,
                    hasToken: request.headers[.authorization] != nil)
            {
                record(event, account: caller?.account.id, for: request, id: id, context, route: route.name)
            }
            return .problem(problem, request: id, access: route.access)
        }
    }

    /// The permit that a change needs. A request waits for it while the largest number of changes of its account, or of
    /// all accounts, are being made. Nil without an account, for a request that reads, and for the upload of an image,
    /// which may be slow and uses the database only at its end.
    private func permit(of caller: Principal?, for request: Request, to route: Route) -> ChangePermit? {
        guard let caller, request.method != .get, request.method != .head else { return nil }
        if case .media(MediaType.images, _) = route.accepts { return nil }
        return ChangePermit { [writes] in
            try await writes.acquire(
                for: caller.account.id, within: .seconds(30),
                else: "Earlier changes are still being made; try again later.", retryAfter: 1)
        }
    }

    /// Logs an event of an account, with a hash of the address that the request came from.
    ///
    /// - Parameter route: The route's template, never the requested path.
    public func record(
        _ event: SecurityLog.Event, account: UUID?, for request: Request, id: UUID, _ context: ConnectionContext,
        route: String
    ) {
        let client = clientAddress(of: context.channel, forwarded: request.headers[.forwardedFor])
        securityLog.record(event, account: account, client: client, request: id, route: route)
    }

    func log(_ response: APIResponse, _ route: Route, id: UUID, _ logger: Logger) {
        logger.debug(
            "Request answered",
            metadata: ["request": "\(id.lowercased)", "route": "\(route.name)", "status": "\(response.status.code)"])
    }

    private func credentials(_ request: Request, _ route: Route) throws(Problem) -> Credentials? {
        if route.access == .anyone { return nil }
        guard let value = request.headers[.authorization] else {
            if route.access == .participant || ticket(request, route) != nil { return nil }
            throw Problem(.unauthorized)
        }
        return try Credentials(parsing: value)
    }

    /// The ticket in the query, if the route accepts one and there is no `Authorization` header. Never logged.
    private func ticket(_ request: Request, _ route: Route) -> String? {
        guard route.acceptsTicket, request.headers[.authorization] == nil else { return nil }
        return QueryReader(request.uri.query, known: route.query).string("ticket")
    }

    /// The account of the credentials; nil on a route that is not for accounts.
    private func caller(
        _ credentials: Credentials?, _ route: Route, ticket: String? = nil
    ) async throws -> Principal? {
        switch route.access {
        case .anyone, .participant: return nil
        case .receipt:
            guard case .receipt = credentials else { throw Problem(.unauthorized, "Send Authorization: Receipt.") }
            return nil
        case .account, .admin: return try await account(credentials, ticket)
        }
    }

    private static func admit(_ caller: Principal?, to route: Route) throws(Problem) {
        guard let caller else { return }
        let scope: Principal.Scope?
        switch route.access {
        case .account(let wanted): scope = wanted
        case .admin(let wanted):
            guard caller.isAdmin else { throw Problem(.forbidden, "Only admins may do this.") }
            scope = wanted
        case .anyone, .participant, .receipt: scope = nil
        }
        if let scope, !caller.scopes.contains(scope) {
            throw Problem(.forbidden, "The token lacks the scope \(scope.rawValue).")
        }
    }

    private func account(_ credentials: Credentials?, _ ticket: String?) async throws -> Principal {
        if let ticket {
            guard let principal = try await authenticateTicket(ticket) else {
                throw Problem(.unauthorized, "The ticket is unknown or has expired; create another one.")
            }
            return principal
        }
        guard case .bearer(let token) = credentials else {
            throw Problem(.unauthorized, "Send Authorization: Bearer.")
        }
        guard let principal = try await authenticate(token) else {
            throw Problem(.unauthorized, "The token is unknown, expired or revoked.")
        }
        return principal
    }

    /// Checks the token and the role again after a slow upload, so that the upload cannot complete after its sender's
    /// access was revoked.
    private func confirm(
        _ principal: Principal?, _ credentials: Credentials?, _ route: Route, waited: Duration
    ) async throws {
        guard waited > limits.slowBody, let principal else { return }
        let current = try await caller(credentials, route)
        try Self.admit(current, to: route)
        guard current?.account.role == principal.account.role else {
            throw Problem(.forbidden, "Your role has changed in the meantime.")
        }
    }

    /// Maps an error of a handler, the HTTP engine or the store to a problem; nil for an unexpected error.
    public func problem(of error: any Error) -> Problem? { Problem(mapping: error) ?? translate(error) }

    /// Maps every error to a problem. An unexpected one becomes a 500, and only the log contains the error. A 500 of
    /// the store is logged too, because the client may ask about the request's id.
    func problem(_ error: any Error, _ route: Route, id: UUID, _ logger: Logger) -> Problem {
        let mapped = problem(of: error)
        if let mapped, mapped.code != .internalError { return mapped }
        let cause = mapped.map { $0.detail ?? $0.code.rawValue } ?? String(reflecting: error)
        logger.error(
            "A request failed",
            metadata: ["request": "\(id.lowercased)", "route": "\(route.name)", "error": "\(cause)"])
        return mapped ?? Problem(.internalError)
    }

    /// Replaces a kept body with its compressed bytes if the client accepts them, and the response with a 304 if
    /// `If-None-Match` contains its tag. Adds the headers that all responses have.
    private func finish(_ response: APIResponse, _ request: HTTPRequest, id: UUID) -> APIResponse {
        var response = response
        let isRead = request.method == .get || request.method == .head
        guard isRead, response.status == .ok else { return finish(response, id: id) }
        if response.kept != nil, Gzip.isAccepted(by: request.headerFields) { response = response.compressed() }
        if let value = response.headers[.eTag], let tag = ETag(parsing: value),
            APIRequest.noneMatch(request.headerFields, tag)
        {
            response.status = .notModified
            response.body = .bytes(ByteBuffer())
            response.headers[.contentType] = nil
            response.headers[.contentEncoding] = nil
        }
        return finish(response, id: id)
    }

    /// Adds the headers that all responses have.
    func finish(_ response: APIResponse, id: UUID) -> APIResponse {
        var response = response
        response.headers[.requestID] = id.lowercased
        policy.protect(&response.headers)
        if response.headers[.cacheControl] == nil {
            response.headers[.cacheControl] = response.headers[.eTag] == nil ? "no-store" : "private, no-cache"
        }
        if case .bytes(let bytes) = response.body {
            response.headers[.contentLength] = String(bytes.readableBytes)
        }
        return response
    }

    private func engineResponse(
        _ response: APIResponse, _ method: HTTPRequest.Method, id: UUID, _ logger: Logger
    ) -> Response {
        let isHead = method == .head
        switch response.body {
        case .bytes(let bytes):
            let body = isHead ? ResponseBody() : ResponseBody(byteBuffer: bytes)
            return Response(status: response.status, headers: response.headers, body: body)
        case .stream(let body):
            let streamed = ResponseBody { [self] writer in
                if isHead { return try await writer.finish(nil) }
                do {
                    try await response.client.run { try await body.write(writer) }
                } catch {
                    report(error, id: id, logger)
                    throw error
                }
            }
            return Response(status: response.status, headers: response.headers, body: streamed)
        }
    }

    /// Logs that a streamed response ended early: at debug level if the client disconnected, as an error otherwise.
    private func report(_ error: any Error, id: UUID, _ logger: Logger) {
        let metadata: Logger.Metadata = ["request": "\(id.lowercased)", "error": "\(String(reflecting: error))"]
        if error is ChannelError || error is NIOAsyncWriterError || error is IOError || error is CancellationError {
            logger.debug("A client disconnected during a response", metadata: metadata)
        } else {
            logger.error("A response ended early", metadata: metadata)
        }
    }
}
