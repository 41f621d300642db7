import NIOCore
import NIOPosix

/// Connections that send a text and then neither read nor close.
public final class SilentConnections: Sendable {
    private let channels: [any Channel]

    /// - Parameters:
    /// - receiveBuffer: The size of each connection's kernel receive buffer, in bytes.
    public init(_ count: Int, port: Int, receiveBuffer: Int = 4096, sending text: String) async throws {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(receiveBuffer))
        var channels: [any Channel] = []
        for _ in 0..<count {
            let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
            // The other end may have refused the connection already.
            try? await channel.writeAndFlush(ByteBuffer(string: text))
            channels.append(channel)
        }
        self.channels = channels
    }

    /// Sends more text on the connections that are still open.
    public func send(_ text: String) {
        for channel in channels { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }
    }

    public func close() async {
        for channel in channels { try? await channel.close() }
    }
}
