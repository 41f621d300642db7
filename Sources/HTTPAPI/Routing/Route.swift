import HTTPTypes
import Store

/// One method on one path: who may call it, what it takes and gives, and what answers.
///
/// Data rather than a registration, so that the role matrix and the comparison with `openapi.yaml` are derived
/// from the same table that serves. By reference, since each request holds its own.
public final class Route: Sendable {
    public typealias Handler = @Sendable (APIRequest) async throws -> APIResponse
    /// What makes an answer once it is known what became of the request.
    public typealias Answer = @Sendable () throws -> APIResponse
    /// Takes a request on the event loop, if memory is enough to judge it: it must not block. It calls `reply` once, on
    /// any thread, for an answer that is bytes; or it leaves the request to the handler by returning false, having done
    /// nothing.
    public typealias Shortcut =
        @Sendable (_ request: ShortRequest, _ reply: @escaping @Sendable (@escaping Answer) -> Void) -> Bool

    /// Who may call, checked before the handler runs; ownership is the handler's to judge.
    public enum Access: Sendable, Equatable {
        /// Anyone; an `Authorization` header is not looked at.
        case anyone
        /// Anyone with a form's code, with or without `Authorization: Respondent` or `Receipt`. Never in a request log.
        case participant
        /// `Authorization: Receipt`, the proof of having sent one submission. Never in a request log.
        case receipt
        /// A signed-in account whose token has the scope; nil is enough for any token.
        case account(Principal.Scope?)
        /// A signed-in admin whose token has the scope.
        case admin(Principal.Scope?)
    }

    /// What the request's body may be.
    public enum Content: Sendable, Equatable {
        case none
        /// One JSON text of at most so many bytes.
        case json(limit: Int)
        /// The same, or no body at all.
        case optionalJSON(limit: Int)
        /// One of these media types, of at most so many bytes.
        case media([String], limit: Int)
    }

    public let method: HTTPRequest.Method
    /// The path with its parameters in braces: `/v1/meetings/{id}/form`.
    public let path: String
    public let access: Access
    public let accepts: Content
    /// The names of the query parameters; any other is refused.
    public let query: [String]
    /// The media types of a good answer; empty where it has no body.
    public let produces: [String]
    /// A request to it may be logged: people at the door and participants leave no trace of when they came.
    public let isLoggable: Bool
    public let handler: Handler
    /// Gives the same answer as the handler, or none.
    public let shortcut: Shortcut?

    /// A ticket in the query stands for the token, since no page can send a header with an event stream.
    var takesTicket: Bool { query.contains("ticket") }
    /// Pages of other sites may read it: the API reads no cookie.
    var isEventStream: Bool { produces == [MediaType.eventStream] }

    public init(
        _ method: HTTPRequest.Method, _ path: String, access: Access, accepts: Content = .none, query: [String] = [],
        produces: [String] = [MediaType.json], logged: Bool = true, shortcut: Shortcut? = nil,
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
        isLoggable = logged && access != .participant && access != .receipt
    }
}
