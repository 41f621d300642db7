import HTTPTypes
import Logging
import NIOCore
import NIOHTTPTypes

/// Answers plain requests on the event loop, in front of the engine's asynchronous handling, which costs a request more
/// than all that it asks for. Whatever is not plain passes through.
///
/// Answers keep the order of their requests: a request is taken only while the engine owes none, and while it waits for
/// its answer whatever follows is held back.
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

    private let api: API
    private let date: DateHeader
    private let logger: Logger
    /// The request whose body is being read.
    private var collected: (call: ShortCall, body: ByteBuffer)?
    private var isAnswering = false
    /// What came after the request that waits for its answer.
    private var held = CircularBuffer<Held>()
    private var holdsRead = false
    private var isReleasing = false
    /// Requests that the engine has not answered to the end, and whether it is owed the rest of one.
    private var owed = 0
    private var isPassing = false
    private var hasPassed = false

    init(api: API, date: DateHeader, logger: Logger) {
        (self.api, self.date, self.logger) = (api, date, logger)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if isAnswering { held.append(.part(part)) } else { take(part, context) }
    }

    private func take(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        switch part {
        case .head(let head):
            // A client that does not take its answers gets no more of them than the engine's back-pressure lets through.
            if owed == 0, !isPassing, context.channel.isWritable, let call = ShortCall(head, api) {
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
        case .head: (owed, isPassing) = (owed + 1, true)
        case .body: break
        case .end: isPassing = false
        }
        hasPassed = true
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func passOn(_ call: ShortCall, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        pass(.head(call.head), context)
        if body.readableBytes > 0 { pass(.body(body), context) }
    }

    /// Gives the engine what was read of a request whose rest does not come in the ordinary way.
    private func giveUpCollecting(_ context: ChannelHandlerContext) {
        guard let request = collected else { return }
        collected = nil
        passOn(request.call, request.body, context)
    }

    private func answer(_ call: ShortCall, _ body: ByteBuffer, _ context: ChannelHandlerContext) -> Bool {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let closes = call.closesConnection
        isAnswering = true
        let isTaken = call.run(body, logger: logger) { make in
            // An answer that is known at once does not wait for the other connections' turns.
            if loop.inEventLoop { return bound.value.handler.finish(make, closes: closes, bound.value.context) }
            loop.execute { bound.value.handler.finish(make, closes: closes, bound.value.context) }
        }
        if !isTaken { isAnswering = false }
        return isTaken
    }

    private func finish(_ make: () -> ShortCall.Answer, closes: Bool, _ context: ChannelHandlerContext) {
        // The connection may be gone; what was done for it stays.
        guard isAnswering else { return }
        var answer = make()
        answer.head.headerFields[.date] = date.text()
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        context.write(wrapOutboundOut(.body(answer.body)), promise: nil)
        if closes {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
            held.removeAll()
            // Whatever follows is not read.
            return
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        isAnswering = false
        release(context)
    }

    /// Goes on with what came meanwhile.
    private func release(_ context: ChannelHandlerContext) {
        // Answers that are known at once come here while the loop below runs.
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
        // One reading more costs nothing; to stop after each request would cost two calls of the system.
        if isAnswering, !held.isEmpty { holdsRead = true } else { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), owed > 0 { owed -= 1 }
        context.write(data, promise: promise)
    }

    /// The end of what a client sends may come before its answer, and the engine would end the connection at once.
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

    /// The connection is closed.
    func handlerRemoved(context: ChannelHandlerContext) {
        isAnswering = false
        collected = nil
        held.removeAll()
    }
}
