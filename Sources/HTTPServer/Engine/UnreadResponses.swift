import NIOCore

/// Limits the memory that unread responses occupy, for one connection and in total.
///
/// Bytes that the operating system accepts immediately are given back at once. This applies to almost every response to
/// a client that reads.
final class UnreadResponses: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// The marks for the unwritten bytes of a connection. Above the higher one, no further part of a response is
    /// written until they have fallen below the lower one.
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
        guard count > MemoryBudget.freeBytesPerShare else { return context.write(data, promise: promise) }
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
