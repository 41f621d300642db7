import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// The queue of one connection, with the task that writes the waiting offers batch by batch.
///
/// An idle lane writes immediately. A busy lane gathers offers before it writes the next batch. It waits until the
/// queue has a third of the active clients, that is, of the offers that have just been answered or were waiting. It
/// waits at most twice as long as the last write took, and at most two milliseconds.
///
/// Without gathering, if commits are fast, the next batch would start with the first client that returns; but writing
/// one row costs a quarter of writing sixty-four. Waiting for half of the clients instead of a third left the database
/// idle for a third of the time.
///
/// If enough offers are already waiting, the next batch is sent before the waiters of the last one are resumed, because
/// resuming them takes CPU time that the database needs.
final class IntakeLane: Sendable {
    /// A waiting offer. This is a class, because the elements of the queue are moved often.
    fileprivate final class Waiter: Sendable {
        let offer: Offer
        let resume: @Sendable (Outcome) -> Void

        init(_ offer: Offer, _ resume: @escaping @Sendable (Outcome) -> Void) {
            self.offer = offer
            self.resume = resume
        }
    }

    /// The outcomes of a batch, which are delivered to its waiters once.
    private final class Delivery: Sendable {
        private let waiters: [Waiter]
        private let outcomes: [Outcome]
        private let isDelivered = Atomic<Bool>(false)

        init(_ waiters: [Waiter], _ outcomes: [Outcome]) {
            (self.waiters, self.outcomes) = (waiters, outcomes)
        }

        /// Resumes the waiters. Further calls do nothing.
        func resume() {
            guard !isDelivered.exchange(true, ordering: .acquiringAndReleasing) else { return }
            for (index, waiter) in waiters.enumerated() {
                waiter.resume(index < outcomes.count ? outcomes[index] : .refused(Problem(.internalError)))
            }
        }
    }

    fileprivate struct Queue {
        var waiters: [Waiter] = []
        var isWriting = false
        /// The number of waiting offers at which the gathering ends.
        var wanted = 0
        /// The number of the current gathering. It prevents the timer of one gathering from ending the next.
        var gatheringNumber = 0
        /// Resumed when the gathering ends.
        var gathering: CheckedContinuation<Void, Never>?
    }

    /// After a batch of at most this size, no offers are gathered, because few clients are active.
    private static let maxSizeWithoutGathering = 2
    /// The next batch starts when the number of waiting offers is the number of active clients divided by this.
    fileprivate static let divisor = 3
    private static let maxGatheringTime: Duration = .milliseconds(2)

    private let queue = Mutex(Queue())
    private let writer: BatchWriter
    private let limit: Int

    init(configuration: PostgresConfiguration, limit: Int, logger: Logger) throws(PostgresError) {
        writer = try BatchWriter(configuration: configuration, logger: logger)
        self.limit = limit
    }

    /// Enqueues an offer. `then` is called once with the outcome, on any thread.
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

    /// Writes batches until no offer is waiting. Runs on the writer's thread.
    private func drain(on writer: isolated BatchWriter) async {
        var last = Delivery([], [])
        while let batch = next() {
            let start = ContinuousClock.now
            let outcomes = await writer.write(batch.map(\.offer), onceSent: { [last] in last.resume() })
            last.resume()
            last = Delivery(batch, outcomes)
            if isEnough(after: batch.count) { continue }
            last.resume()
            if batch.count > Self.maxSizeWithoutGathering {
                await gather(on: writer, after: batch.count, maximum: (.now - start) * 2)
            }
        }
        last.resume()
    }

    /// Returns whether the next batch can start before the outcomes of this one are delivered.
    private func isEnough(after answered: Int) -> Bool {
        queue.withLock { queue in
            !queue.waiters.isEmpty && queue.waiters.count >= queue.enough(after: answered, limit: limit)
        }
    }

    /// Waits until enough offers are waiting, but at most for the time `maximum`.
    private func gather(on writer: isolated BatchWriter, after answered: Int, maximum: Duration) async {
        let number = queue.withLock { queue in
            queue.gatheringNumber += 1
            queue.wanted = queue.enough(after: answered, limit: limit)
            return queue.gatheringNumber
        }
        let timer = Task {
            try? await Task.sleep(for: min(maximum, Self.maxGatheringTime))
            queue.withLock { $0.gatheringNumber == number ? $0.endGathering(if: true) : nil }?.resume()
        }
        await withCheckedContinuation { continuation in
            let isReady = queue.withLock { queue in
                // If the timer has already fired, `wanted` is zero.
                if queue.waiters.count >= queue.wanted { return true }
                queue.gathering = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        timer.cancel()
    }

    /// Returns at most `limit` waiters, sorted by form. Within a form, they are in the order of arrival, which
    /// determines the submissions that are accepted under a cap. Returns nil if no offer is waiting; the lane is then
    /// idle.
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
    /// The number of waiting offers at which the next batch starts. It depends on the number of active clients: those
    /// whose offers are waiting, and those that have just been answered and may send another offer.
    fileprivate func enough(after answered: Int, limit: Int) -> Int {
        min(limit, (answered + waiters.count) / IntakeLane.divisor)
    }

    /// Ends the gathering if the condition is true. Returns its continuation, which the caller must resume.
    fileprivate mutating func endGathering(if isEnough: Bool) -> CheckedContinuation<Void, Never>? {
        guard isEnough else { return nil }
        wanted = 0
        defer { gathering = nil }
        return gathering
    }
}
