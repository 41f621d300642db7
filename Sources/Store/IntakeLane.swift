import Foundation
import Logging
import Synchronization
import Postgres

/// One connection's queue: what waits, and the task that writes it batch by batch while anything does.
final class IntakeLane: Sendable {
    struct Waiter: Sendable {
        var offer: Offer
        var continuation: CheckedContinuation<Outcome, Never>
    }

    private struct Queue {
        var waiters: [Waiter] = []
        var isWriting = false
    }

    private let queue = Mutex(Queue())
    private let writer: BatchWriter
    private let limit: Int

    init(configuration: PostgresConfiguration, limit: Int, logger: Logger) {
        writer = BatchWriter(configuration: configuration, logger: logger)
        self.limit = limit
    }

    func add(_ offer: Offer, _ continuation: CheckedContinuation<Outcome, Never>) {
        let mustStart = queue.withLock { queue in
            queue.waiters.append(Waiter(offer: offer, continuation: continuation))
            if queue.isWriting { return false }
            queue.isWriting = true
            return true
        }
        if mustStart { Task { await drain() } }
    }

    private func drain() async {
        while let batch = next() {
            let outcomes = await writer.write(batch.map(\.offer))
            for (waiter, outcome) in zip(batch, outcomes) { waiter.continuation.resume(returning: outcome) }
        }
    }

    /// At most `limit` waiters in order of form and id; nil when nothing waits, and the lane is idle then.
    private func next() -> [Waiter]? {
        let taken = queue.withLock { queue -> [Waiter]? in
            if queue.waiters.isEmpty {
                queue.isWriting = false
                return nil
            }
            let taken = Array(queue.waiters.prefix(limit))
            queue.waiters.removeFirst(taken.count)
            return taken
        }
        // The first of equal ids must stay the first: ties keep the order of arrival.
        return taken?.enumerated().sorted { left, right in
            let (a, b) = (left.element.offer, right.element.offer)
            if a.formID != b.formID { return a.formID < b.formID }
            if a.id != b.id { return a.id < b.id }
            return left.offset < right.offset
        }.map(\.element)
    }

    func close() async {
        await writer.close()
    }
}
