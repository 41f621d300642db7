import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// How many connections a server has open, and how many it takes.
///
/// At the bound nothing is accepted until a connection has closed; clients wait in the queue of the system.
final class OpenConnections: Sendable {
    /// Connections accepted at once by default.
    private static let longestTurn = 256
    private static let pauseOfWarnings: Duration = .seconds(60)

    private let count = Atomic<Int>(0)
    private let lastWarning = Mutex<ContinuousClock.Instant?>(nil)
    private let logger: Logger
    private let most: Int
    /// The most connections accepted in one turn of the event loop. NIO's own four would keep new clients waiting for
    /// minutes where a turn takes long, since thousands are busy.
    let turn: Int

    /// - Parameter most: connections at once.
    init(most: Int, logger: Logger) {
        self.most = most
        self.logger = logger
        turn = max(1, min(Self.longestTurn, most / 16))
    }

    /// Another turn could exceed the bound.
    var isFull: Bool { count.load(ordering: .relaxed) > most - turn }

    fileprivate func opened() {
        count.add(1, ordering: .relaxed)
        guard isFull else { return }
        let isDue = lastWarning.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < Self.pauseOfWarnings { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger.warning(
            "The limit of connections is reached; new ones wait", metadata: ["most": "\(most)"])
    }

    fileprivate func closed() {
        count.subtract(1, ordering: .relaxed)
    }
}

extension OpenConnections {
    /// What the engine asks before it accepts.
    struct Delegate: AvailableConnectionsDelegate {
        let connections: OpenConnections

        func connectionOpened() { connections.opened() }
        func connectionClosed() { connections.closed() }
        func isAcceptingNewConnections() -> Bool { !connections.isFull }
    }
}
