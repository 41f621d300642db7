import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// What a server serves.
public protocol HTTPApplication: HTTPResponder where Context == ConnectionContext {
    var limits: ConnectionLimits { get }

    /// A request that may be answered on the event loop, by its head; nil for every other one.
    func shortCall(for head: HTTPRequest) -> (any ShortCall)?

    /// The response to a request whose head cannot be parsed.
    func malformedHeadResponse() -> (head: HTTPResponse, body: ByteBuffer)

    /// Work that lasts as long as the server, such as event streams; it is cancelled after the server has stopped.
    func run(logger: Logger) async

    /// Called at a graceful shutdown, before requests in flight are awaited: ends responses that never end by themselves.
    func stop()
}

/// A request that is answered on the event loop, in front of the engine's asynchronous handling.
public protocol ShortCall: Sendable {
    typealias Reply = (head: HTTPResponse, body: ByteBuffer)

    var head: HTTPRequest { get }
    /// Whether the client wants no further response on this connection.
    var closesConnection: Bool { get }

    /// Returns false, without side effects, to leave the request to the ordinary handling.
    ///
    /// - Parameter reply: Called once with the response, on any thread.
    func run(
        _ body: ByteBuffer, logger: Logger, reply: @escaping @Sendable (@escaping @Sendable () -> Reply) -> Void
    ) -> Bool
}
