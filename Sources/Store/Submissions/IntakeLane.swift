import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// One connection's queue: the waiting offers, and the task that writes them batch by batch.
///
/// An idle lane writes immediately. A busy one first gathers: it waits until the queue has a third of the offers that
/// it has just answered or seen waiting, at most twice as long as its last write took. If commits are fast, the next
/// batch would otherwise start with the first client that returns, and a call for one row costs a quarter of a call for
/// sixty-four; waiting for half left the database idle a third of the time. If enough offers wait already, the next
/// batch is sent before the waiters of the last are resumed, because resuming them competes for CPU.
final class IntakeLane: Sendable {
    /// A class, because a queue moves its elements often.
    fileprivate final class Waiter: Sendable {
        let offer: Offer
        let resume: @Sendable (Outcome) -> Void

        init(_ offer: Offer, _ resume: @escaping @Sendable (Outcome) -> Void) {
            self.offer = offer
            self.resume = resume
        }
    }

    /// The outcomes of a batch, delivered once.
    private final class Answers: Sendable {
        private let waiters: [Waiter]
        private let outcomes: [Outcome]
        private let isNotified = Atomic<Bool>(false)

        init(_ waiters: [Waiter], _ outcomes: [Outcome]) {
            (self.waiters, self.outcomes) = (waiters, outcomes)
        }

        func resume() {
            guard !isNotified.exchange(true, ordering: .acquiringAndReleasing) else { return }
            for (index, waiter) in waiters.enumerated() {
                waiter.resume(index < outcomes.count ? outcomes[index] : .refused(Problem(.internalError)))
            }
        }
    }

    fileprivate struct Queue {
        var waiters: [Waiter] = []
        var isWriting = false
        /// The number of waiting offers that ends the gathering.
        var wanted = 0
        /// Numbers the gatherings, so that the timer of one does not end the next.
        var round = 0
        var gathering: CheckedContinuation<Void, Never>?
    }

    /// Batches up to this size are written without gathering, because few clients are active.
    private static let few = 2
    /// The next batch starts once one in this number of the active clients waits.
    fileprivate static let share = 3
    private static let longestGathering: Duration = .milliseconds(2)

    private let queue = Mutex(Queue())
    private let writer: BatchWriter
    private let limit: Int

    init(configuration: PostgresConfiguration, limit: Int, logger: Logger) throws(PostgresError) {
        writer = try BatchWriter(configuration: configuration, logger: logger)
        self.limit = limit
    }

    /// `then` gets the outcome, once, on any thread.
    func add(_ offer: Offer, then: @escaping @Sendable (Outcome) -> Void) {
        let waiter = Waiter(offer, then)
        let (mustStart, gathering) = queue.withLock { queue -> (Bool, CheckedContinuation<Void, Never>?) in
            queue.waiters.append(waiter)
            if queue.isWriting { return (false, queue.endGathering(if: queue.waiters.count >= queue.wanted)) }
            queue.isWriting = true
            return (true, nil)
        }
        gathering?.resume()
        if mustStart { Task { await drain(on: writer) } }
    }

    /// Runs on the writer's thread.
    private func drain(on writer: isolated BatchWriter) async {
        var last = Answers([], [])
        while let batch = next() {
            let start = ContinuousClock.now
            let outcomes = await writer.write(batch.map(\.offer), onceSent: { [last] in last.resume() })
            last.resume()
            last = Answers(batch, outcomes)
            if isEnough(after: batch.count) { continue }
            last.resume()
            if batch.count > Self.few { await gather(on: writer, after: batch.count, longest: (.now - start) * 2) }
        }
        last.resume()
    }

    /// Returns whether the next batch can start before the outcomes of this one are delivered.
    private func isEnough(after answered: Int) -> Bool {
        queue.withLock { queue in
            !queue.waiters.isEmpty && queue.waiters.count >= queue.enough(after: answered, limit: limit)
        }
    }

    private func gather(on writer: isolated BatchWriter, after answered: Int, longest: Duration) async {
        let round = queue.withLock { queue in
            queue.round += 1
            queue.wanted = queue.enough(after: answered, limit: limit)
            return queue.round
        }
        let timer = Task {
            try? await Task.sleep(for: min(longest, Self.longestGathering))
            queue.withLock { $0.round == round ? $0.endGathering(if: true) : nil }?.resume()
        }
        await withCheckedContinuation { continuation in
            let isReady = queue.withLock { queue in
                // The timer may have fired first; then nothing is wanted any more.
                if queue.waiters.count >= queue.wanted { return true }
                queue.gathering = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        timer.cancel()
    }

    /// Returns at most `limit` waiters, grouped by form in the order of form ids, and within a form in the order of
    /// arrival, which decides who is accepted under a cap. Returns nil if nothing waits; the lane is then idle.
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

extension IntakeLane.Queue {
    /// The number of offers that is enough for the next batch, of those waiting and those just answered, whose clients
    /// may return.
    fileprivate func enough(after answered: Int, limit: Int) -> Int {
        min(limit, (answered + waiters.count) / IntakeLane.share)
    }

    /// The continuation of the gathering lane, if it can continue now.
    fileprivate mutating func endGathering(if isEnough: Bool) -> CheckedContinuation<Void, Never>? {
        guard isEnough else { return nil }
        wanted = 0
        defer { gathering = nil }
        return gathering
    }
}
