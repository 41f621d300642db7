import HTTPTypes
import Logging
import NIOCore
import NIOHTTPTypes

/// Answers plain requests on the event loop, in front of the engine's asynchronous handling, which costs more than
/// everything else about such a request. All others pass through.
///
/// Responses keep the order of their requests: a request is handled here only if the engine has answered all earlier
/// ones, and later requests are held back until it has been answered.
final class ShortcutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum Held {
        case part(HTTPRequestPart)
        case event(Any)
        case error(any Error)
    }

    private let application: any HTTPApplication
    private let date: DateHeader
    private let logger: Logger
    /// The request whose body is being read.
    private var collected: (call: any ShortCall, body: ByteBuffer)?
    private var isAnswering = false
    /// The parts and events that arrived after the request being answered.
    private var held = CircularBuffer<Held>()
    /// Whether a `read` is delayed until the held parts have been taken.
    private var holdsRead = false
    private var isReleasing = false
    /// The number of requests that the engine has not answered completely.
    private var unanswered = 0
    /// Whether the engine has received a part of a request, but not its end.
    private var isPassing = false
    /// Whether parts were passed to the engine since the last `channelReadComplete`.
    private var hasPassed = false

    init(_ application: any HTTPApplication, date: DateHeader, logger: Logger) {
        (self.application, self.date, self.logger) = (application, date, logger)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isAnswering { held.append(.part(part)) } else { take(part, context) }
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            // If the client does not read its responses, the engine handles the request, with its back-pressure.
            if unanswered == 0, !isPassing, context.channel.isWritable, let call = application.shortCall(for: head) {
                collected = (call, ByteBuffer())
                return
            }
        case .body(let bytes):
            if collected != nil {
                collected?.body.writeImmutableBuffer(bytes)
                return
            }
        case .end:
            if let request = collected {
                collected = nil
                if !answer(request.call, request.body, context) {
                    passOn(request.call, request.body, context)
                    pass(part, context)
                }
                return
            }
        }
        pass(part, context)
    }

    private func pass(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head: (unanswered, isPassing) = (unanswered + 1, true)
        case .body: break
        case .end: isPassing = false
        }
        hasPassed = true
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func passOn(_ call: any ShortCall, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        pass(.head(call.head), context)
        if body.readableBytes > 0 { pass(.body(body), context) }
    }

    /// Passes a partly read request to the engine, because an event or an error has arrived before its end.
    private func giveUpCollecting(_ context: ChannelHandlerContext) {
        guard let request = collected else { return }
        collected = nil
        passOn(request.call, request.body, context)
    }

    private func answer(_ call: any ShortCall, _ body: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let closes = call.closesConnection
        isAnswering = true
        let isTaken = call.run(body, logger: logger) { make in
            // A response that is known at once does not wait for other connections.
            if loop.inEventLoop { return bound.value.handler.finish(make, closes: closes, bound.value.context) }
            loop.execute { bound.value.handler.finish(make, closes: closes, bound.value.context) }
        }
        if !isTaken { isAnswering = false }
        return isTaken
    }

    private func finish(
        _ make: () -> (head: HTTPResponse, body: ByteBuffer), closes: Bool, _ context: ChannelHandlerContext
    ) {
        // If the connection has been closed, nothing is written, but the request has taken effect.
        guard isAnswering else { return }
        var answer = make()
        answer.head.headerFields[.date] = date.text()
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
        if closes {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
            held.removeAll()
            // Later requests on this connection are not read.
            return
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        isAnswering = false
        release(context)
    }

    /// Continues with the held parts and events.
    private func release(_ context: ChannelHandlerContext) {
        // Responses that are known at once arrive here while the loop below runs.
        guard !isReleasing else { return }
        isReleasing = true
        defer { isReleasing = false }
        while !isAnswering, let next = held.popFirst() {
            switch next {
            case .part(let part): take(part, context)
            case .event(let event): context.fireUserInboundEventTriggered(event)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
        completeRead(context)
        if holdsRead, !isAnswering || held.isEmpty {
            holdsRead = false
            context.read()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        completeRead(context)
    }

    private func completeRead(_ context: ChannelHandlerContext) {
        guard hasPassed else { return }
        hasPassed = false
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        // One more read is cheap; stopping after each request would cost two system calls.
        if isAnswering, !held.isEmpty { holdsRead = true } else { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), unanswered > 0 { unanswered -= 1 }
        context.write(data, promise: promise)
    }

    /// Holds back events while a request is being answered. A client may close its output before it receives the
    /// response, and the engine would then close the connection at once.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isAnswering {
            held.append(.event(event))
        } else {
            giveUpCollecting(context)
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isAnswering {
            held.append(.error(error))
        } else {
            giveUpCollecting(context)
            context.fireErrorCaught(error)
        }
    }

    /// Called when the connection is closed.
    func handlerRemoved(context: ChannelHandlerContext) {
        isAnswering = false
        collected = nil
        held.removeAll()
    }
}
