import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// One connection's queue: what waits, and the task that writes it batch by batch while anything does.
///
/// An idle lane writes at once. A busy one first gathers: it waits until there are a third as many as it has just
/// answered or has seen waiting, at most twice as long as its last write took. Where commits are fast the next batch
/// would otherwise begin with the first to come back, and a call for one row costs a quarter of a call for sixty-four;
/// waiting for half left the database idle a third of the time. Where enough wait already, the database gets them
/// before anybody is told of the last ones: whoever is told asks for the processor at once.
final class IntakeLane: Sendable {
    /// By reference, since a queue moves its elements often.
    fileprivate final class Waiter: Sendable {
        let offer: Offer
        let resume: @Sendable (Outcome) -> Void

        init(_ offer: Offer, _ resume: @escaping @Sendable (Outcome) -> Void) {
            self.offer = offer
            self.resume = resume
        }
    }

    /// What became of a batch, told once.
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
        /// How many must wait before the gathering lane goes on.
        var wanted = 0
        /// Counts the gatherings, so that the end of one does not end the next.
        var round = 0
        var gathering: CheckedContinuation<Void, Never>?
    }

    /// Batches this small come one by one: nobody is worth waiting for.
    private static let few = 2
    /// One in so many of those known to be about is enough to begin with.
    fileprivate static let share = 3
    private static let longestGathering: Duration = .milliseconds(2)

    private let queue = Mutex(Queue())
    private let writer: BatchWriter
    private let limit: Int

    init(configuration: PostgresConfiguration, limit: Int, logger: Logger) throws(PostgresError) {
        writer = try BatchWriter(configuration: configuration, logger: logger)
        self.limit = limit
    }

    /// `then` is told the outcome, once, on any thread.
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

    /// On the writer's thread throughout.
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

    /// Whether enough wait for the next batch to begin before anybody is told of this one.
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
                // The timer may have come first: it leaves nothing wanted.
                if queue.waiters.count >= queue.wanted { return true }
                queue.gathering = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        timer.cancel()
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

extension IntakeLane.Queue {
    /// How many are enough to begin the next batch with, of those waiting and those just answered, who may come again.
    fileprivate func enough(after answered: Int, limit: Int) -> Int {
        min(limit, (answered + waiters.count) / IntakeLane.share)
    }

    /// The gathering lane's continuation, if it is to go on now.
    fileprivate mutating func endGathering(if isEnough: Bool) -> CheckedContinuation<Void, Never>? {
        guard isEnough else { return nil }
        wanted = 0
        defer { gathering = nil }
        return gathering
    }
}
