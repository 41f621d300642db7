import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Serves an application on a socket until a graceful shutdown has let requests in flight finish.
public struct Server<Served: HTTPApplication>: Service {
    private let application: Application<CallbackResponder<ConnectionContext>>
    private let served: Served
    private let logger: Logger
    private let host: String
    private let port: Int
    /// The threads that belong to this server alone.
    private let threads: MultiThreadedEventLoopGroup?

    /// - Parameters:
    ///  - site: Handles all requests, and calls the application for some. If nil, the application handles them all.
    ///  - port: 0 for any free port.
    ///  - connections: The largest number of open connections; further clients wait to be accepted.
    ///  - connectionsPerAddress: The largest number of open connections of one client address; further ones are closed.
    ///    Nil for any number, as behind a proxy, from whose address all connections come.
    ///  - threads: The server's own event loops, which `run` shuts down; nil shares the event loops of the process.
    ///  - onListening: Called with the port once it accepts connections.
    public init(
        _ served: Served, behind site: (any PlainResponder)? = nil, host: String, port: Int,
        connections: Int = .max, connectionsPerAddress: Int? = nil, threads: MultiThreadedEventLoopGroup? = nil,
        logger: Logger,
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        self.served = served
        self.threads = threads
        self.logger = logger
        self.host = host
        self.port = port
        var engineLogger = logger
        // Leaves out the engine's own lines, such as "Server started". The service's line has more details.
        if engineLogger.logLevel == .info { engineLogger.logLevel = .notice }
        let openConnections = OpenConnections(
            limit: connections, limitPerAddress: connectionsPerAddress, logger: logger)
        application = Application(
            responder: Self.responder(site, served),
            server: HTTPServerBuilder { responder in
                ShortcutChannel(
                    engine: HTTP1Channel(
                        responder: responder,
                        configuration: HTTP1Channel.Configuration(
                            additionalChannelHandlers: [ConnectionGuard(served, connections: openConnections)],
                            httpDecoderConfiguration: .init(
                                maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024,
                                maxHeaderFieldCount: RequestFrame.maxFields))),
                    application: served, site: site, connections: openConnections)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(host, port: port), backlog: 1024,
                availableConnectionsDelegate: OpenConnections.Delegate(connections: openConnections)),
            onServerRunning: { channel in
                try? await channel.setOption(.maxMessagesPerRead, value: UInt(openConnections.acceptsPerTurn)).get()
                await onListening(channel.localAddress?.port ?? port)
            },
            eventLoopGroupProvider: threads.map { .shared($0) } ?? .singleton,
            logger: engineLogger)
    }

    private static func responder(
        _ site: (any PlainResponder)?, _ served: Served
    ) -> CallbackResponder<ConnectionContext> {
        CallbackResponder { request, context in
            // A task keeps the memory of its deepest calls until it ends, and the task of a connection may last for
            // hours, as that of a live viewer does. So the request is handled in a task of its own.
            let task = Task {
                if let site { return try await site.respond(to: request, context: context) }
                return try await served.respond(to: request, context: context)
            }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    public func run() async throws {
        defer { threads?.shutdownGracefully { _ in } }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await served.run(logger: logger) }
                // Event streams do not end on their own.
                try await withGracefulShutdownHandler {
                    try await application.run()
                } onGracefulShutdown: {
                    served.stop()
                }
                group.cancelAll()
            }
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw ListenFailure.portInUse(host: host, port: port)
        } catch let error as IOError where error.errnoCode == EACCES {
            throw ListenFailure.notPermitted(host: host, port: port)
        } catch let error as IOError where error.errnoCode == EADDRNOTAVAIL {
            throw ListenFailure.unknownHost(host)
        } catch is SocketAddressError.UnknownHost {
            throw ListenFailure.unknownHost(host)
        } catch is SocketAddressError {
            throw ListenFailure.unknownHost(host)
        }
    }
}

/// Why the service cannot listen.
public enum ListenFailure: Error, Equatable, CustomStringConvertible {
    case portInUse(host: String, port: Int)
    case notPermitted(host: String, port: Int)
    case unknownHost(String)

    public var description: String {
        switch self {
        case .portInUse(let host, let port):
            "Port \(port) on \(host) is in use: stop the process that uses it, or choose another with --port."
        case .notPermitted(let host, let port): "Listening on \(host), port \(port), is not permitted."
        case .unknownHost(let host): "\(host) is not an address of this machine: choose another with --host."
        }
    }
}
