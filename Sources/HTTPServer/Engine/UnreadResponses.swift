import NIOCore

/// Limits the memory of the responses that clients have not read, on one connection and on all together.
///
/// What the operating system takes at once does not count: that is almost every response to a client that reads.
final class UnreadResponses: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The bytes that a connection may hold, apart from the last part, before nothing more is written for its client.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 4 * 1024, high: 16 * 1024)

    private let budget: MemoryBudget
    /// Nil behind a proxy, because all clients would have the proxy's address.
    private let address: ClientAddress?

    init(_ application: any HTTPApplication, _ channel: any Channel) {
        budget = application.responses
        address = application.trustedProxies > 0 ? nil : application.clientAddress(of: channel, forwarded: nil)
    }

    /// Closes the connection if the responses of all clients, or those of the client's address, would take too much
    /// memory.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let count = unwrapOutboundIn(data).readableBytes
        guard count > MemoryBudget.free else { return context.write(data, promise: promise) }
        let share = MemoryBudget.Share(of: budget, from: address)
        guard share.take(count) else {
            promise?.fail(MemoryBudget.Exceeded())
            return context.close(promise: nil)
        }
        let written = promise ?? context.eventLoop.makePromise()
        written.futureResult.whenComplete { _ in withExtendedLifetime(share) {} }
        context.write(data, promise: written)
    }
}
