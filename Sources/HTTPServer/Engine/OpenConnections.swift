import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Limits the open connections of a server.
///
/// At the limit, no connection is accepted until another has closed; clients wait in the system's queue. If a client
/// address has its maximum, its further connections are accepted and closed at once instead, because in the queue they
/// would delay all other clients.
final class OpenConnections: Sendable {
    /// When each kind of warning was last logged.
    private struct Warnings {
        var allConnections: ContinuousClock.Instant?
        var oneAddress: ContinuousClock.Instant?
    }

    /// The largest value of `acceptsPerTurn`.
    private static let maxAcceptsPerTurn = 256
    private static let warningInterval: Duration = .seconds(60)

    private let count = Atomic<Int>(0)
    /// The number of open connections of each client address, if that number is limited.
    private let counts = Mutex<[ClientAddress: Int]>([:])
    private let lastWarnings = Mutex(Warnings())
    private let logger: Logger
    private let limit: Int
    private let limitPerAddress: Int?
    /// The largest number of connections accepted in one turn of the event loop. When thousands of connections are
    /// busy, a turn takes long, and NIO's default of four would make new clients wait for minutes.
    let acceptsPerTurn: Int

    /// - Parameters:
    ///   - limit: The largest number of open connections.
    ///   - limitPerAddress: The largest number of open connections of one client address; nil for any number.
    init(limit: Int, limitPerAddress: Int? = nil, logger: Logger) {
        self.limit = limit
        self.limitPerAddress = limitPerAddress
        self.logger = logger
        acceptsPerTurn = max(1, min(Self.maxAcceptsPerTurn, limit / 16))
    }

    /// Whether the connections accepted in another turn could exceed the limit.
    var isFull: Bool { count.load(ordering: .relaxed) > limit - acceptsPerTurn }

    fileprivate func opened() {
        count.add(1, ordering: .relaxed)
        if isFull { warn(\.allConnections, "The connection limit is reached; new connections wait", limit) }
    }

    fileprivate func closed() {
        count.subtract(1, ordering: .relaxed)
    }

    /// Counts a new connection for its client's address until it closes. Returns false, without counting it, if that
    /// address has its maximum.
    func countIfAdmitted(_ channel: any Channel) -> Bool {
        guard let limitPerAddress else { return true }
        let address = ClientAddress(peer: channel.remoteAddress?.ipAddress, forwarded: nil, trustedProxies: 0)
        guard admit(address, limitPerAddress) else {
            // Without the address, because no line of the log has one.
            warn(
                \.oneAddress, "A client address has its maximum of connections; its new ones are closed",
                limitPerAddress)
            return false
        }
        channel.closeFuture.whenComplete { _ in self.release(address) }
        return true
    }

    private func admit(_ address: ClientAddress, _ limit: Int) -> Bool {
        counts.withLock { counts in
            let count = counts[address, default: 0]
            guard count < limit else { return false }
            counts[address] = count + 1
            return true
        }
    }

    private func release(_ address: ClientAddress) {
        counts.withLock { counts in
            // An address without connections has no entry, so that it occupies no memory.
            if let count = counts[address] { counts[address] = count > 1 ? count - 1 : nil }
        }
    }

    private func warn(
        _ kind: WritableKeyPath<Warnings, ContinuousClock.Instant?>, _ message: Logger.Message, _ limit: Int
    ) {
        let isDue = lastWarnings.withLock { last in
            let now = ContinuousClock.now
            if let last = last[keyPath: kind], now - last < Self.warningInterval { return false }
            last[keyPath: kind] = now
            return true
        }
        if isDue { logger.warning(message, metadata: ["limit": "\(limit)"]) }
    }
}

extension OpenConnections {
    /// The engine asks this before it accepts a connection.
    struct Delegate: AvailableConnectionsDelegate {
        let connections: OpenConnections

        func connectionOpened() { connections.opened() }
        func connectionClosed() { connections.closed() }
        func isAcceptingNewConnections() -> Bool { !connections.isFull }
    }
}
