import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A relay on a loopback port, in front of a database's server. On request, it cuts a connection after the server has
/// executed what it received, but before the client gets the response.
public final class CuttingRelay: Sendable {
    public let port: Int
    private let listener: any Channel
    private let cut: Cut
    private let database: String

    public init(to database: TestDatabase) async throws {
        guard let url = URLComponents(string: database.url) else {
            throw TestServerFailure(reason: "the database has no URL")
        }
        let folder = url.queryItems?.first { $0.name == "host" }?.value
        let address =
            if let folder {
                try SocketAddress(unixDomainSocketPath: "\(folder)/.s.PGSQL.5432")
            } else {
                try SocketAddress.makeAddressResolvingHost(url.host ?? "", port: url.port ?? 5432)
            }
        let cut = Cut()
        let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { client in
                ClientBootstrap(group: client.eventLoop).connect(to: address)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(Forwarding(to: server, cut: nil))
                        try server.pipeline.syncOperations.addHandler(Forwarding(to: client, cut: cut))
                    }
            }
        listener = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
        self.cut = cut
        self.database = database.name
    }

    public var url: String { "postgresql://postgres@127.0.0.1:\(port)/\(database)?sslmode=disable" }

    /// Drops the next server response that leaves its session outside a transaction, and closes the connection.
    public func cutAtTheNextResponse() { cut.isPending.store(true, ordering: .sequentiallyConsistent) }

    /// Whether a cut was requested and has not happened yet.
    public var isCutPending: Bool { cut.isPending.load(ordering: .sequentiallyConsistent) }

    public func close() async { try? await listener.close().get() }
}

private final class Cut: Sendable {
    let isPending = Atomic(false)
}

/// Forwards the data of one end, and its close, to the other end.
private final class Forwarding: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let cut: Cut?
    private var held = ByteBuffer()

    init(to other: any Channel, cut: Cut?) {
        (self.other, self.cut) = (other, cut)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        guard let cut, cut.isPending.load(ordering: .sequentiallyConsistent) else {
            return other.writeAndFlush(bytes, promise: nil)
        }
        held.writeImmutableBuffer(bytes)
        // `ReadyForQuery` with the status idle, which PostgreSQL sends after the commit.
        guard held.readableBytesView.suffix(6).elementsEqual([0x5A, 0, 0, 0, 5, 0x49]) else { return }
        cut.isPending.store(false, ordering: .sequentiallyConsistent)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
