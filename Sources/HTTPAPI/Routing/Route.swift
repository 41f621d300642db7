import Domain
import HTTPServer
import HTTPTypes
import Hummingbird
import Store
import StrictJSON

/// One method on one path: its access, its input and output, and its handler.
///
/// It is data rather than a registration, so that the access matrix and the comparison with `openapi.yaml` derive from
/// the same table that serves requests. A reference type, because each request refers to its route.
public final class Route: Sendable {
    public typealias Handler = @Sendable (APIRequest) async throws -> APIResponse
    /// Creates the response once the outcome of the request is known.
    public typealias DeferredResponse = @Sendable () throws -> APIResponse
    /// Handles a request on the event loop if everything needed is in memory. It must not block.
    ///
    /// It either returns true and calls `reply` once, on any thread, with a response that is not streamed, or returns
    /// false without side effects to leave the request to the handler.
    public typealias Shortcut =
        @Sendable (_ request: ShortRequest, _ reply: @escaping @Sendable (@escaping DeferredResponse) -> Void) -> Bool

    /// Who may call the route, checked before the handler runs; the handler checks ownership.
    public enum Access: Sendable, Equatable {
        /// Anyone; an `Authorization` header is ignored.
        case anyone
        /// Anyone with a form's code, with or without `Authorization: Respondent` or `Receipt`. Never logged.
        case participant
        /// `Authorization: Receipt`, the proof of having sent one submission. Never logged.
        case receipt
        /// A signed-in account whose token has the scope; nil accepts any token.
        case account(Principal.Scope?)
        /// A signed-in admin whose token has the scope.
        case admin(Principal.Scope?)
    }

    /// The kinds of request body.
    public enum Content: Sendable, Equatable {
        case none
        /// JSON text of at most this many bytes.
        case json(limit: Int = 16 * 1024)
        /// JSON text of at most this many bytes, or no body.
        case optionalJSON(limit: Int = 16 * 1024)
        /// One of these media types, of at most this many bytes.
        case media([String], limit: Int)
    }

    public let method: HTTPRequest.Method
    /// The path with its parameters in braces: `/v1/meetings/{id}/form`.
    public let path: String
    public let access: Access
    public let accepts: Content
    /// The names of the query parameters; others are refused.
    public let query: [String]
    /// The media types of a successful response; empty if it has no body.
    public let produces: [String]
    /// Whether requests may be logged. Those of participants and check-ins are not, so that no log shows when a person
    /// was active.
    public let isLoggable: Bool
    public let handler: Handler
    /// Returns the same response as the handler, or leaves the request to it.
    public let shortcut: Shortcut?

    /// Whether only accounts may call the route.
    var isForAccounts: Bool {
        switch access {
        case .account, .admin: true
        case .anyone, .participant, .receipt: false
        }
    }
    /// Whether a ticket in the query may replace the token. A page cannot send a header when it opens an event stream.
    var acceptsTicket: Bool { query.contains("ticket") }
    /// Whether the response is written piece by piece, because it has no end or may be larger than memory.
    public let isStreamed: Bool
    /// Whether the response is an event stream. Pages of other sites may read it, because the API uses no cookies.
    var isEventStream: Bool { produces == [MediaType.eventStream] }

    public init(
        _ method: HTTPRequest.Method, _ path: String, access: Access, accepts: Content = .none, query: [String] = [],
        produces: [String] = [MediaType.json], streamed: Bool = false, logged: Bool = true,
        shortcut: Shortcut? = nil,
        handler: @escaping Handler
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.accepts = accepts
        self.query = query
        self.produces = produces
        self.handler = handler
        self.shortcut = shortcut
        isStreamed = streamed || produces == [MediaType.eventStream]
        isLoggable = logged && access != .participant && access != .receipt
    }
}

extension Route {
    /// The route's name in logs and metrics: never a requested path.
    var name: String { "\(method.rawValue) \(path)" }

    /// `/livez`, `/readyz`, `/metrics` and the OpenAPI document.
    ///
    /// - Parameter unready: Returns why the service cannot accept requests now; nil if it can.
    public static func operations(
        metrics: MetricsText, document: @escaping @Sendable () throws -> OpenAPIDocument,
        unready: @escaping @Sendable () async -> Problem?
    ) -> [Route] {
        let healthy = APIResponse.json(.object([.init("status", .string("ok"))]))
        return [
            // A plain request is answered on the event loop, so that it does not wait for the threads of others.
            Route(
                .get, "/livez", access: .anyone,
                shortcut: { _, reply in
                    reply { healthy }
                    return true
                },
                handler: { _ in healthy }),
            Route(.get, "/readyz", access: .anyone) { _ in
                if let problem = await unready() { throw problem }
                return healthy
            },
            Route(.get, "/metrics", access: .anyone, produces: [MediaType.metrics]) { _ in
                .bytes(metrics.text(), as: MediaType.metrics)
            },
            Route(.get, "/openapi.yaml", access: .anyone, produces: [MediaType.yaml]) { _ in
                let document = try document()
                return .bytes(document.yaml, as: MediaType.yaml).tagged(document.tag)
            },
            Route(.get, "/openapi.json", access: .anyone) { _ in
                let document = try document()
                return .bytes(document.json).tagged(document.tag)
            },
        ]
    }
}
