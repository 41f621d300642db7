import NIOCore
import NIOPosix

/// A plain TCP connection, for bytes that no HTTP client would send.
public enum RawConnection {
    /// Runs `body` on a connection that is closed afterwards.
    ///
    /// - Parameters:
    /// - address: The address that the connection comes from, such as `127.0.0.2`; nil for the system's choice.
    /// - receiveBuffer: The size of the kernel's receive buffer in bytes; nil for the default. With a size, the
    /// connection reads only on demand, so that the other end soon blocks.
    public static func open<Result: Sendable>(
        port: Int, from address: String? = nil, receiveBuffer: Int? = nil, _ body: (Client) async throws -> Result
    ) async throws -> Result {
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        if let address { bootstrap = bootstrap.bind(to: try SocketAddress(ipAddress: address, port: 0)) }
        var configuration = NIOAsyncChannel<ByteBuffer, ByteBuffer>.Configuration(isOutboundHalfClosureEnabled: true)
        if let receiveBuffer {
            bootstrap =
                bootstrap
                .channelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(receiveBuffer))
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: receiveBuffer))
                .channelOption(.maxMessagesPerRead, value: 1)
            configuration.backPressureStrategy = .init(lowWatermark: 1, highWatermark: 1)
        }
        let asyncConfiguration = configuration
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel, configuration: asyncConfiguration)
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            try await body(Client(inbound: inbound, outbound: outbound))
        }
    }

    public final class Client {
        private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        private var received = ""

        init(inbound: NIOAsyncChannelInboundStream<ByteBuffer>, outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) {
            iterator = inbound.makeAsyncIterator()
            self.outbound = outbound
        }

        public func send(_ text: String) async throws {
            try await outbound.write(ByteBuffer(string: text))
        }

        /// Sends a text, and returns what the other end sends until it closes or resets the connection. The other end
        /// may do so before it has read anything.
        public func exchange(_ text: String) async -> String {
            try? await send(text)
            return await readToEnd()
        }

        /// Ends the sending side; responses are still received.
        public func finishSending() { outbound.finish() }

        /// All received text until the other end closes or resets the connection.
        public func readToEnd() async -> String {
            while let chunk = try? await iterator.next() { received += String(buffer: chunk) }
            return received
        }

        /// Removes and returns the received text up to and including `text`. Nil if the connection ends first.
        public func take(through text: String) async throws -> String? {
            while true {
                if let range = received.firstRange(of: text) {
                    defer { received.removeSubrange(..<range.upperBound) }
                    return String(received[..<range.upperBound])
                }
                guard let chunk = try await iterator.next() else { return nil }
                received += String(buffer: chunk)
            }
        }

        /// Returns the received text once it contains `text`, or all received text if the connection ends first.
        public func read(until text: String) async throws -> String {
            while !received.contains(text), let chunk = try await iterator.next() { received += String(buffer: chunk) }
            return received
        }
    }
}
