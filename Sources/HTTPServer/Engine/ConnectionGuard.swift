import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A request's body did not arrive in time.
public struct SlowBody: Error {}

/// Protects one HTTP/1 connection where the engine does not: slow heads and bodies, stalled readers, HEAD, malformed
/// heads.
///
/// It runs on the event loop. One timer checks the connection periodically; others start only if a body does not arrive
/// together with its head, so that an ordinary request costs nothing.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let application: any HTTPApplication
    private let limits: ConnectionLimits
    private let connections: OpenConnections
    /// The requests whose response is not complete, oldest first; true for HEAD.
    private var unanswered = CircularBuffer<Bool>(initialCapacity: 4)
    private var isReading = false
    private var closesAfterAnswer = false
    private var dropsEnd = false
    private var bodyTimer: Scheduled<Void>?
    private var stallTimer: Scheduled<Void>?
    private var headTimer: Scheduled<Void>?
    /// The number of heads read, and its value when `headTimer` last fired.
    private var heads = 0
    private var headsBefore = 0
    private var hasReadPart = false
    /// Part of a head has arrived, and whether that was so when `headTimer` last fired.
    private var hasHalfHead = false
    private var hadHalfHead = false

    init(_ application: any HTTPApplication, connections: OpenConnections) {
        self.application = application
        limits = application.limits
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        scheduleHeadTimer(context)
    }

    private func scheduleHeadTimer(_ context: ChannelHandlerContext) {
        headTimer = schedule(context, limits.headTimeout) { [self] in
            let isWaiting = !isReading && unanswered.isEmpty && heads == headsBefore
            let isOverdue = heads == 0 || hasHalfHead && hadHalfHead || connections.isFull
            if isWaiting, isOverdue { return context.close(promise: nil) }
            (headsBefore, hadHalfHead) = (heads, hasHalfHead)
            scheduleHeadTimer(context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReadPart = true
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReading = true
            hasHalfHead = false
            heads += 1
            unanswered.append(head.method == .head)
            if let expected = head.headerFields[.expect] { inviteBody(context, expected, head) }
        case .body: break
        case .end:
            isReading = false
            // After the response that ends the connection has been written, the timer closes it.
            if !closesAfterAnswer || !unanswered.isEmpty {
                bodyTimer?.cancel()
                bodyTimer = nil
            }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // While a request waits for its response, nothing of the next one may be read.
        if !hasReadPart, !isReading, unanswered.isEmpty { hasHalfHead = true }
        hasReadPart = false
        if isReading, bodyTimer == nil {
            bodyTimer = schedule(context, limits.bodyTimeout) { [self] in
                if unanswered.isEmpty {
                    context.close(promise: nil)
                } else {
                    context.fireErrorCaught(SlowBody())
                }
            }
        }
        context.fireChannelReadComplete()
    }

    /// Handles `Expect: 100-continue`, unless the body is too long for every route: then the route's own response comes
    /// first.
    private func inviteBody(_ context: ChannelHandlerContext, _ expected: String, _ head: HTTPRequest) {
        let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        guard expected.lowercased() == "100-continue", length <= limits.largestBody else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if unanswered.isEmpty, head.status == .badRequest {
                refuseHead(context, promise)
                return
            }
            // Without a length, the encoder would end even the response to a HEAD with an empty chunk.
            dropsEnd = unanswered.first == true && head.headerFields[.contentLength] == nil
            closesAfterAnswer = head.status.code >= 400 && head.headerFields[.connection] == "close"
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            _ = unanswered.popFirst()
            if dropsEnd {
                promise?.succeed()
            } else {
                context.write(data, promise: promise)
            }
            if closesAfterAnswer { closeSoon(context) }
        }
    }

    /// A request with an unreadable head has no route: the application's response replaces the engine's empty 400.
    private func refuseHead(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let (head, body) = application.malformedHeadResponse()
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        closesAfterAnswer = true
    }

    /// Waits a moment after a response that ends the connection, because a reset would discard it for a client that is
    /// still sending.
    private func closeSoon(_ context: ChannelHandlerContext) {
        bodyTimer?.cancel()
        context.flush()
        bodyTimer = schedule(context, isReading ? limits.linger : .milliseconds(50)) { context.close(promise: nil) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stallTimer?.cancel()
        stallTimer =
            context.channel.isWritable
            ? nil : schedule(context, limits.stallTimeout) { context.close(promise: nil) }
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        headTimer?.cancel()
        bodyTimer?.cancel()
        stallTimer?.cancel()
    }

    private func schedule(
        _ context: ChannelHandlerContext, _ delay: TimeAmount, _ action: @escaping () -> Void
    ) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: delay, action)
    }
}
