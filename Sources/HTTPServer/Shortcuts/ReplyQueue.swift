import NIOCore
import Synchronization

/// The responses that other threads have ready for the connections of one event loop. The event loop is woken once for
/// all that arrive before it runs.
final class ReplyQueue: Sendable {
    private let loop: any EventLoop
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs the closure on the event loop, after those that were added before.
    func add(_ reply: @escaping @Sendable () -> Void) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(reply)
            return waiting.count == 1
        }
        if isFirst { loop.execute { self.run() } }
    }

    private func run() {
        let replies = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for reply in replies { reply() }
    }

    /// The queues of all event loops of a server.
    final class Pool: Sendable {
        private let queues = Mutex<[ObjectIdentifier: ReplyQueue]>([:])

        func queue(of loop: any EventLoop) -> ReplyQueue {
            queues.withLock { queues in
                let id = ObjectIdentifier(loop)
                if let queue = queues[id] { return queue }
                let queue = ReplyQueue(loop)
                queues[id] = queue
                return queue
            }
        }
    }
}
