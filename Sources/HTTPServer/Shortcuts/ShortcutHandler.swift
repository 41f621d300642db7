import HTTPTypes
import Logging
import NIOCore

/// Answers plain requests from the bytes of the connection, in front of the engine. The engine's parsing and streams of
/// parts cost more than everything else about such a request. All other bytes pass through.
///
/// Responses keep the order of their requests: a request is handled here only if the engine has answered all earlier
/// ones, and later bytes are held back until it has been answered. In the bytes for the engine, only the ends of
/// requests are looked for. Where an end cannot be found, the engine gets everything that follows.
final class ShortcutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private enum Held {
        case event(Any)
        case error(any Error)
    }

    /// The number of requests of a connection that are handled before other connections have their turn. A client may send
    /// thousands at once.
    private static let requestsPerTurn = 16
    /// The time until the next turn of a connection with more requests. Without it, the event loop would not look for other
    /// connections.
    private static let timeBetweenTurns: TimeAmount = .milliseconds(1)
    /// How long the body of a plain request may take. If it takes longer, the engine handles the request.
    private static let bodyTimeout: TimeAmount = .seconds(1)
    /// The size of the longest body that is copied behind its head, so that both are written as one buffer.
    private static let smallBody = 4 * 1024

    private let application: any HTTPApplication
    /// Handles all requests, or passes them to the application.
    private let site: any PlainResponder
    private let date: DateHeader
    private let engine: ConnectionGuard
    private let logger: Logger
    /// The bytes of an incomplete request, or those that have arrived after the request being answered.
    private(set) var bytes = ByteBuffer()
    /// The share of `bytes` in the memory of all bodies, while a request that is not small arrives.
    private var share: MemoryBudget.Share?
    /// The request at the start of `bytes` whose body is incomplete.
    private var waiting: (call: any ShortCall, frame: RequestFrame)?
    /// The events that arrived while a request was being answered. They are passed on after all bytes.
    private var held = CircularBuffer<Held>()
    private var isResponding = false
    /// Whether the last response of the connection has been written.
    private var isClosing = false
    private var isAdvancing = false
    /// The number of bytes of the last request passed to the engine that have not arrived yet.
    private var engineBytes = 0
    /// Whether the engine gets all further bytes, because the ends of requests are no longer known.
    private var isEngineOnly = false
    /// Whether a `read` is delayed until `bytes` have been handled.
    private var holdsRead = false
    /// Whether bytes were passed to the engine since the last `channelReadComplete`.
    private var hasPassed = false
    private var bodyTimer: Scheduled<Void>?
    /// Starts the next turn. Nil unless other connections have their turn.
    private var nextTurn: Scheduled<Void>?

    init(
        _ application: any HTTPApplication, behind site: (any PlainResponder)? = nil, date: DateHeader,
        engine: ConnectionGuard, logger: Logger
    ) {
        self.site = site ?? application
        (self.application, self.date, self.engine, self.logger) = (application, date, engine, logger)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var arrived = unwrapInboundIn(data)
        if bytes.readableBytes == 0 {
            bytes = arrived
        } else {
            // The bytes that were taken would otherwise stay in memory, in front of the others.
            bytes.discardReadBytes()
            bytes.writeBuffer(&arrived)
        }
        advance(context)
    }

    /// Handles or passes on as many of the bytes as possible, then the events after them.
    private func advance(_ context: ChannelHandlerContext) {
        // Responses that are known at once arrive here while the loop below runs.
        guard !isAdvancing, nextTurn == nil else { return }
        isAdvancing = true
        defer { isAdvancing = false }
        var count = 0
        while !isResponding, bytes.readableBytes > 0, nextTurn == nil, take(context) {
            count += 1
            if count == Self.requestsPerTurn, bytes.readableBytes > 0 { endTurn(context) }
        }
        // An idle connection keeps no buffer.
        if bytes.readableBytes == 0 { bytes = ByteBuffer() }
        guard !isResponding, nextTurn == nil else { return }
        while let next = held.popFirst() {
            giveUpWaiting(context)
            switch next {
            case .event(let event): context.fireUserInboundEventTriggered(event)
            case .error(let error): context.fireErrorCaught(error)
            }
        }
    }

    /// Lets other connections have their turn before the next bytes are handled.
    private func endTurn(_ context: ChannelHandlerContext) {
        nextTurn = context.eventLoop.assumeIsolated().scheduleTask(in: Self.timeBetweenTurns) { [self] in
            nextTurn = nil
            advance(context)
            completeRead(context)
            resumeReading(context)
        }
    }

    /// Reads more bytes if a `read` was delayed and those that have arrived were handled.
    private func resumeReading(_ context: ChannelHandlerContext) {
        guard holdsRead, bytes.readableBytes == 0 || !isResponding && nextTurn == nil else { return }
        holdsRead = false
        context.read()
    }

    /// Takes one request or part of one. Returns false if more bytes are needed.
    private func take(_ context: ChannelHandlerContext) -> Bool {
        if isEngineOnly { return pass(bytes.readableBytes, context) }
        if engineBytes > 0 {
            let count = min(engineBytes, bytes.readableBytes)
            engineBytes -= count
            return pass(count, context)
        }
        if let (call, frame) = waiting {
            guard bytes.readableBytes >= frame.length else { return !hold(frame, context) && leave(frame, to: context) }
            waiting = nil
            return hold(frame, context) && respond(to: frame, with: call, context) || leave(frame, to: context)
        }
        switch RequestFrame.read(bytes) {
        case .incomplete where engine.isIdle:
            engine.shortcut = .readingHead
            return false
        case .incomplete, .unknown:
            isEngineOnly = true
            return true
        case .request(let frame):
            // If the client does not read its responses, the engine handles the request, with its back-pressure.
            if engine.isIdle, context.channel.isWritable, let plain = frame.plain,
                let call = application.shortCall(for: plain) ?? TaskCall(plain, site)
            {
                guard hold(frame, context) else { return leave(frame, to: context) }
                guard bytes.readableBytes >= frame.length else {
                    waiting = (call, frame)
                    waitForBody(context)
                    return false
                }
                if respond(to: frame, with: call, context) { return true }
            }
            return leave(frame, to: context)
        }
    }

    /// Counts the bytes of a request that have arrived. Returns false if the requests of all clients, or those of the
    /// client's address, would hold too many bytes.
    private func hold(_ frame: RequestFrame, _ context: ChannelHandlerContext) -> Bool {
        let count = min(frame.length, bytes.readableBytes)
        guard count > MemoryBudget.freeBytesPerShare else { return true }
        let share =
            share
            ?? MemoryBudget.Share(
                of: application.bodies,
                from: application.clientAddress(
                    of: context.channel, forwarded: frame.plain?.value("x-forwarded-for")))
        self.share = share
        return share.take(upTo: count)
    }

    /// Passes the beginning of a request to the engine, or all of it if it has arrived.
    private func leave(_ frame: RequestFrame, to context: ChannelHandlerContext) -> Bool {
        let (headCount, count) = (engine.headCount, min(frame.length, bytes.readableBytes))
        engineBytes = frame.length - count
        let isPassed = pass(count, context)
        // If the engine refuses the head, its 400 is the last response of the connection.
        if engine.headCount == headCount || frame.plain?.closesConnection == true { isEngineOnly = true }
        return isPassed
    }

    private func pass(_ count: Int, _ context: ChannelHandlerContext) -> Bool {
        guard let part = bytes.readSlice(length: count) else { return false }
        waiting = nil
        share = nil
        engine.shortcut = .none
        bodyTimer?.cancel()
        bodyTimer = nil
        hasPassed = true
        context.fireChannelRead(wrapInboundOut(part))
        return true
    }

    private func waitForBody(_ context: ChannelHandlerContext) {
        engine.shortcut = .busy
        bodyTimer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.bodyTimeout) { [self] in
            bodyTimer = nil
            giveUpWaiting(context)
            completeRead(context)
        }
    }

    /// Passes an incomplete request to the engine.
    private func giveUpWaiting(_ context: ChannelHandlerContext) {
        guard bytes.readableBytes > 0 else { return }
        if let frame = waiting?.frame {
            _ = leave(frame, to: context)
        } else {
            isEngineOnly = true
            _ = pass(bytes.readableBytes, context)
        }
    }

    /// Returns false if the call leaves the request to the engine.
    private func respond(
        to frame: RequestFrame, with call: any ShortCall, _ context: ChannelHandlerContext
    ) -> Bool {
        guard let body = bytes.getSlice(at: bytes.readerIndex + frame.headLength, length: frame.bodyLength) else {
            return false
        }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let (loop, closes) = (context.eventLoop, frame.plain?.closesConnection ?? true)
        // Held until the call ends, even if the connection is closed before that.
        let share = share
        isResponding = true
        engine.shortcutBegan()
        let start = bytes.readerIndex
        bytes.moveReaderIndex(forwardBy: frame.length)
        let isTaken = call.run(body, on: context.channel, logger: logger) { make in
            withExtendedLifetime(share) {}
            // A response that is known at once does not wait for other connections.
            if loop.inEventLoop { return bound.value.handler.finish(make, closes: closes, bound.value.context) }
            loop.execute { bound.value.handler.finish(make, closes: closes, bound.value.context) }
        }
        guard isTaken else {
            isResponding = false
            engine.shortcut = .none
            bytes.moveReaderIndex(to: start)
            return false
        }
        self.share = nil
        bodyTimer?.cancel()
        bodyTimer = nil
        return true
    }

    private func finish(
        _ make: () -> (head: HTTPResponse, body: ByteBuffer), closes: Bool, _ context: ChannelHandlerContext
    ) {
        // If the connection has been closed, nothing is written, but the request has taken effect.
        guard isResponding, !isClosing else { return }
        // From here on, the idle timer closes the connection of a client that does not read.
        engine.shortcutEnded()
        var reply = make()
        let closes = closes || reply.head.headerFields[.connection] == "close"
        reply.head.headerFields[.date] = date.text()
        if closes { reply.head.headerFields[.connection] = "close" }
        if [.noContent, .notModified].contains(reply.head.status) {
            // As the engine's encoder does (RFC 9110, section 8.6).
            reply.head.headerFields[.contentLength] = nil
            reply.body.clear()
        }
        let response = write(reply, context)
        if closes {
            isClosing = true
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(response).whenComplete { _ in bound.value.close(promise: nil) }
            // Later requests on this connection are not read.
            bytes.clear()
            held.removeAll()
            return
        }
        context.writeAndFlush(response, promise: nil)
        isResponding = false
        guard !isAdvancing else { return }
        advance(context)
        completeRead(context)
        resumeReading(context)
    }

    /// Writes all of the response but the last part, which it returns.
    private func write(_ reply: ShortCall.Reply, _ context: ChannelHandlerContext) -> NIOAny {
        let isSmall = reply.body.readableBytes <= Self.smallBody
        var head = Self.encoded(
            reply.head, context.channel.allocator, capacity: 512 + (isSmall ? reply.body.readableBytes : 0))
        guard !isSmall else {
            head.writeImmutableBuffer(reply.body)
            return wrapOutboundOut(.byteBuffer(head))
        }
        // A long body may be shared by many responses, so it is not copied.
        context.write(wrapOutboundOut(.byteBuffer(head)), promise: nil)
        return wrapOutboundOut(.byteBuffer(reply.body))
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
        if isResponding || nextTurn != nil, bytes.readableBytes > 0 { holdsRead = true } else { context.read() }
    }

    /// Holds back events while a request is being answered. A client may close its output before it receives the
    /// response, and the engine would then close the connection at once.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A graceful shutdown does not wait for a client that does not read.
        if isClosing { return context.fireUserInboundEventTriggered(event) }
        held.append(.event(event))
        advance(context)
        completeRead(context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        held.append(.error(error))
        advance(context)
        completeRead(context)
    }

    /// Called when the connection is closed.
    func handlerRemoved(context: ChannelHandlerContext) {
        isResponding = false
        bodyTimer?.cancel()
        nextTurn?.cancel()
        bytes.clear()
        waiting = nil
        share = nil
        held.removeAll()
    }
}
