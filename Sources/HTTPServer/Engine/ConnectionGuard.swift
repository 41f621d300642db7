import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A request's body did not arrive in time.
public struct BodyTimeoutError: Error {}

/// Handles what the engine does not handle on an HTTP/1 connection: slow heads and bodies, clients that stop reading,
/// responses to HEAD, and malformed heads.
///
/// It runs on the event loop. Two timers always run: one for slow heads, one for idle connections. The others start if
/// a body does not arrive together with its head, if a client does not read its response, or after an error response
/// that ends the connection, so that an ordinary request costs nothing.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private struct Unanswered {
        let isHEAD: Bool
        /// The request's `X-Forwarded-For`.
        let forwarded: String?
        /// The body's share of the memory of all bodies, once a part has arrived.
        var share: MemoryBudget.Share?
    }

    private let application: any HTTPApplication
    private let limits: ConnectionLimits
    private let connections: OpenConnections
    /// The requests whose response is not complete, oldest first.
    private var unanswered = CircularBuffer<Unanswered>(initialCapacity: 4)
    /// Whether the body of a request is being received.
    private var isReading = false
    /// Whether the connection is closed after the current response.
    private var closesAfterResponse = false
    /// Whether a body was refused for lack of memory. What the client still sends is dropped.
    private var isRefusing = false
    /// Whether the connection stays open after its last response because the client is still sending a body.
    private var isLingering = false
    /// Whether the end of the current response is not passed to the encoder.
    private var dropsEnd = false
    /// Ends a body that takes too long. After the response that ends the connection, it closes the connection.
    private var bodyTimer: Scheduled<Void>?
    private var stallTimer: Scheduled<Void>?
    private var headTimer: Scheduled<Void>?
    /// The number of heads read.
    private(set) var headCount = 0
    /// The value of `headCount` when `headTimer` last fired.
    private var headCountBefore = 0
    /// Whether a part of a request was read since the last `channelReadComplete`.
    private var hasReadPart = false
    /// Whether only a part of a head has arrived.
    private var hasPartialHead = false
    /// The value of `hasPartialHead` when `headTimer` last fired.
    private var hadPartialHead = false
    private var idleTimer: Scheduled<Void>?
    /// When the last part of a request, or the end of a response, passed.
    private var lastActivity = NIODeadline.now()

    /// What the shortcut handler in front of the engine is doing.
    enum Shortcut {
        case none
        /// It has received a part of a head.
        case readingHead
        /// It reads a body, or responds.
        case busy
    }

    var shortcut = Shortcut.none
    /// Whether the engine has answered all requests it has received, and keeps the connection open.
    var isIdle: Bool { unanswered.isEmpty && !isReading && !closesAfterResponse }

    func shortcutBegan() {
        headCount += 1
        shortcut = .busy
    }

    func shortcutEnded() {
        lastActivity = .now()
        shortcut = .none
    }

    init(_ application: any HTTPApplication, connections: OpenConnections) {
        self.application = application
        limits = application.limits
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        scheduleHeadTimer(context)
        scheduleIdleTimer(context, .now() + limits.idleTimeout)
    }

    /// Closes the connection if it has been idle between two requests for too long.
    private func scheduleIdleTimer(_ context: ChannelHandlerContext, _ deadline: NIODeadline) {
        idleTimer = schedule(context, deadline - .now()) { [self] in
            let isBusy = isReading || !unanswered.isEmpty || shortcut == .busy
            let deadline = (isBusy ? .now() : lastActivity) + limits.idleTimeout
            guard deadline > .now() else { return context.close(promise: nil) }
            scheduleIdleTimer(context, deadline)
        }
    }

    private func scheduleHeadTimer(_ context: ChannelHandlerContext) {
        headTimer = schedule(context, limits.headTimeout) { [self] in
            let isWaiting = !isReading && unanswered.isEmpty && headCount == headCountBefore && shortcut != .busy
            let isPartial = hasPartialHead || shortcut == .readingHead
            let isOverdue = headCount == 0 || isPartial && hadPartialHead || connections.isFull
            if isWaiting, isOverdue { return context.close(promise: nil) }
            (headCountBefore, hadPartialHead) = (headCount, isPartial)
            scheduleHeadTimer(context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasReadPart = true
        lastActivity = .now()
        switch unwrapInboundIn(data) {
        case .head(let head):
            isReading = true
            hasPartialHead = false
            headCount += 1
            unanswered.append(
                Unanswered(isHEAD: head.method == .head, forwarded: head.headerFields[.forwardedFor]))
            if let expected = head.headerFields[.expect] { inviteBody(context, expected, head) }
        case .body(let part):
            guard !isRefusing else { return }
            guard hold(part.readableBytes, context.channel) else {
                isRefusing = true
                return context.fireErrorCaught(MemoryBudget.Exceeded())
            }
        case .end:
            isReading = false
            // If the response that ends the connection has been written, `bodyTimer` closes the connection.
            if !closesAfterResponse || !unanswered.isEmpty {
                bodyTimer?.cancel()
                bodyTimer = nil
            }
        }
        if !isRefusing { context.fireChannelRead(data) }
    }

    /// Counts bytes of the last request's body. Returns false if the bodies of all clients, or those of the
    /// client's address, would take too much memory.
    private func hold(_ bytes: Int, _ channel: any Channel) -> Bool {
        // The rest of a body whose response is complete is not kept.
        guard let last = unanswered.indices.last else { return true }
        let share =
            unanswered[last].share
            ?? MemoryBudget.Share(
                of: application.bodies,
                from: application.clientAddress(of: channel, forwarded: unanswered[last].forwarded))
        unanswered[last].share = share
        return share.take(bytes)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // A read without a part means that a head is incomplete, but only between two requests.
        if !hasReadPart, !isReading, unanswered.isEmpty { hasPartialHead = true }
        hasReadPart = false
        if isReading, bodyTimer == nil {
            bodyTimer = schedule(context, limits.bodyTimeout) { [self] in
                if unanswered.isEmpty {
                    context.close(promise: nil)
                } else {
                    context.fireErrorCaught(BodyTimeoutError())
                }
            }
        }
        context.fireChannelReadComplete()
    }

    /// Sends `100 Continue` if the client expects it. If the body is too long for every route, the client gets the
    /// route's response instead.
    private func inviteBody(_ context: ChannelHandlerContext, _ expected: String, _ head: HTTPRequest) {
        let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
        guard expected.lowercased() == "100-continue", length <= limits.largestBody else { return }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if unanswered.isEmpty, head.status == .badRequest {
                refuseHead(context, promise)
                return
            }
            if isRefusing { head.headerFields[.connection] = "close" }
            // Without a length, the encoder would end even the response to a HEAD with an empty chunk.
            dropsEnd = unanswered.first?.isHEAD == true && head.headerFields[.contentLength] == nil
            closesAfterResponse = head.status.code >= 400 && head.headerFields[.connection] == "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            _ = unanswered.popFirst()
            lastActivity = .now()
            if dropsEnd {
                promise?.succeed()
            } else {
                context.write(data, promise: promise)
            }
            if closesAfterResponse { closeSoon(context) }
        }
    }

    /// A request with an unreadable head has no route: the application's response replaces the engine's empty 400.
    private func refuseHead(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let (head, body) = application.malformedHeadResponse()
        context.write(wrapOutboundOut(.head(head)), promise: promise)
        context.write(wrapOutboundOut(.body(body)), promise: nil)
        closesAfterResponse = true
    }

    /// Closes the connection a moment after the response that ends it. An immediate close would cause a reset, and a
    /// client that is still sending could lose the response.
    private func closeSoon(_ context: ChannelHandlerContext) {
        bodyTimer?.cancel()
        context.flush()
        isLingering = isReading
        bodyTimer = schedule(context, isReading ? limits.linger : .milliseconds(50)) { context.close(promise: nil) }
    }

    /// After a refused body, the engine closes the connection as soon as it has responded. A client that is still
    /// sending gets the same time as after other refusals.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard isRefusing, isLingering else { return context.close(mode: mode, promise: promise) }
        context.channel.closeFuture.cascade(to: promise)
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
        idleTimer?.cancel()
        bodyTimer?.cancel()
        stallTimer?.cancel()
    }

    private func schedule(
        _ context: ChannelHandlerContext, _ delay: TimeAmount, _ action: @escaping () -> Void
    ) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: delay, action)
    }
}
