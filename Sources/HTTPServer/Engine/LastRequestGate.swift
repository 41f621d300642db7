import NIOCore

/// Drops the bytes that arrive after a connection's last request.
///
/// It is in front of the parser, which would read them for nothing. After a request that offers to change the protocol,
/// the parser would even keep all of them in memory, because it expects them to belong to the other protocol.
final class LastRequestGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let rules: MessageRules

    init(_ rules: MessageRules) { self.rules = rules }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !rules.isEnded { context.fireChannelRead(data) }
    }
}
