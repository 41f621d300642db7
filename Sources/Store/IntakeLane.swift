import Foundation
import Logging
import Postgres
import Synchronization

/// One connection's queue: what waits, and the task that writes it batch by batch while anything does.
final class IntakeLane: Sendable {
    /// By reference, since a queue moves its elements often.
    private final class Waiter: Sendable {
        let offer: Offer
        let continuation: CheckedContinuation<Outcome, Never>

        init(_ offer: Offer, _ continuation: CheckedContinuation<Outcome, Never>) {
            self.offer = offer
            self.continuation = continuation
        }
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
        let waiter = Waiter(offer, continuation)
        let mustStart = queue.withLock { queue in
            queue.waiters.append(waiter)
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

    /// At most `limit` waiters, grouped by form in the order of form ids and within a form in the order of arrival, which
    /// decides whom a cap lets in; nil when nothing waits, and the lane is idle then.
    private func next() -> [Waiter]? {
        let taken = queue.withLock { queue -> [Waiter]? in
            if queue.waiters.isEmpty {
                queue.isWriting = false
                return nil
            }
            if queue.waiters.count <= limit {
                defer { queue.waiters = [] }
                return queue.waiters
            }
            let taken = Array(queue.waiters.prefix(limit))
            queue.waiters.removeFirst(limit)
            return taken
        }
        guard let taken, let form = taken.first?.offer.formID else { return nil }
        if taken.allSatisfy({ $0.offer.formID == form }) { return taken }
        return Dictionary(grouping: taken, by: \.offer.formID).sorted { $0.key < $1.key }.flatMap(\.value)
    }

    func close() async {
        await writer.close()
    }
}
