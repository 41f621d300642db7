import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Limits the open connections of a server.
///
/// At the limit, no connection is accepted until another has closed; clients wait in the system's queue.
final class OpenConnections: Sendable {
    /// The largest value of `acceptsPerTurn`.
    private static let maxAcceptsPerTurn = 256
    private static let warningInterval: Duration = .seconds(60)

    private let count = Atomic<Int>(0)
    private let lastWarning = Mutex<ContinuousClock.Instant?>(nil)
    private let logger: Logger
    private let limit: Int
    /// The largest number of connections accepted in one turn of the event loop. NIO's default of four would make new
    /// clients wait for minutes when a turn takes long because thousands are busy.
    let acceptsPerTurn: Int

    /// - Parameter limit: The largest number of open connections.
    init(limit: Int, logger: Logger) {
        self.limit = limit
        self.logger = logger
        acceptsPerTurn = max(1, min(Self.maxAcceptsPerTurn, limit / 16))
    }

    /// Whether the connections accepted in another turn could exceed the limit.
    var isFull: Bool { count.load(ordering: .relaxed) > limit - acceptsPerTurn }

    fileprivate func opened() {
        count.add(1, ordering: .relaxed)
        guard isFull else { return }
        let isDue = lastWarning.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < Self.warningInterval { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            "The connection limit is reached; new connections wait", metadata: ["limit": "\(limit)"])
    }

    fileprivate func closed() {
        count.subtract(1, ordering: .relaxed)
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
