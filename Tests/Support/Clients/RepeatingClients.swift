import NIOCore
import NIOPosix
import Synchronization

/// Clients that send a request again as soon as it is answered, each on its own connection.
///
/// They share one thread and use no tasks, so that thousands of them delay neither tests nor the service.
public final class RepeatingClients: Sendable {
    private final class Counts: Sendable {
        let expected = Atomic<Int>(0)
        let others = Atomic<Int>(0)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let request: ByteBuffer
        private let expectedPrefix: String
        private let counts: Counts
        private var response = ByteBuffer()

        init(_ request: ByteBuffer, _ expectedPrefix: String, _ counts: Counts) {
            (self.request, self.expectedPrefix, self.counts) = (request, expectedPrefix, counts)
        }

        func channelActive(context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(request), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = unwrapInboundIn(data)
            response.writeBuffer(&part)
            // The responses are JSON objects without nested objects.
            guard response.readableBytesView.last == UInt8(ascii: "}") else { return }
            if String(buffer: response).hasPrefix(expectedPrefix) {
                counts.expected.add(1, ordering: .relaxed)
            } else {
                counts.others.add(1, ordering: .relaxed)
            }
            response.clear()
            context.writeAndFlush(wrapOutboundOut(request), promise: nil)
        }
    }

    private let channels: [any Channel]
    private let group: MultiThreadedEventLoopGroup
    private let counts: Counts

    /// - Parameters:
    /// - request: The bytes of the request, whose response must be a JSON object without nested objects.
    /// - status: The expected status.
    public init(_ count: Int, port: Int, sending request: String, status: Int) async throws {
        let (request, counts) = (ByteBuffer(string: request), Counts())
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let bootstrap = ClientBootstrap(group: group).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Handler(request, "HTTP/1.1 \(status) ", counts))
            }
        }
        var channels: [any Channel] = []
        for _ in 0..<count { channels.append(try await bootstrap.connect(host: "127.0.0.1", port: port).get()) }
        (self.channels, self.counts) = (channels, counts)
    }

    /// The number of responses with the expected status.
    public var answered: Int { counts.expected.load(ordering: .relaxed) }
    /// The number of responses with another status.
    public var refused: Int { counts.others.load(ordering: .relaxed) }

    public func close() async throws {
        for channel in channels { try? await channel.close() }
        try await group.shutdownGracefully()
    }
}
