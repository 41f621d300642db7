import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// An application that a server serves.
public protocol HTTPApplication: PlainResponder {
    var limits: ConnectionLimits { get }
    /// The memory of the bodies of requests, from the arrival of their bytes to the end of the response. The values
    /// that are parsed from them occupy a few times as much.
    var bodies: MemoryBudget { get }
    /// The memory of the responses that clients have not read.
    var responses: MemoryBudget { get }
    /// The number of proxies in front that append to `X-Forwarded-For`.
    var trustedProxies: Int { get }

    /// Returns the call that may answer a plain request with this head on the event loop; nil for every other request.
    func shortCall(for head: PlainHead) -> (any ShortCall)?

    /// The response to a request whose head cannot be parsed.
    func malformedHeadResponse() -> (head: HTTPResponse, body: ByteBuffer)

    /// Work that lasts as long as the server, such as event streams; it is cancelled after the server has stopped.
    func run(logger: Logger) async

    /// Ends the responses that do not end on their own. Called at a graceful shutdown, before the server waits for
    /// requests in flight.
    func stop()
}

extension HTTPApplication {
    /// The address of the client that sent a request.
    ///
    /// - Parameter forwarded: The request's `X-Forwarded-For`.
    public func clientAddress(of channel: any Channel, forwarded: String?) -> ClientAddress {
        ClientAddress(
            peer: channel.remoteAddress?.ipAddress, forwarded: forwarded, trustedProxies: trustedProxies)
    }
}

/// A plain request that is answered in front of the engine.
public protocol ShortCall: Sendable {
    typealias Reply = (head: HTTPResponse, body: ByteBuffer)

    /// Returns false, without side effects, to leave the request to the ordinary handling.
    ///
    /// Called on the event loop, which it must not block.
    ///
    /// - Parameter reply: Called once with the response, on any thread.
    func run(
        _ body: ByteBuffer, on channel: any Channel, logger: Logger,
        reply: @escaping @Sendable (@escaping @Sendable () -> Reply) -> Void
    ) -> Bool
}
