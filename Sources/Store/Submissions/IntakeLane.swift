import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// The queue of one connection, with the task that writes the waiting offers batch by batch.
///
/// An idle lane writes immediately. A busy lane gathers offers before it writes the next batch (``Gathering``).
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
    private final class BatchOutcomes: Sendable {
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
        var gatheringEnd: CheckedContinuation<Void, Never>?
    }

    /// After a batch of at most this size, no offers are gathered, because few clients are active.
    private static let maxSizeWithoutGathering = 2

    private let queue = Mutex(Queue())
    private let writer: BatchWriter
    private let limit: Int

    /// - Parameter limit: The largest number of submissions in a batch.
    init(_ writer: BatchWriter, limit: Int) {
        (self.writer, self.limit) = (writer, limit)
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
        var last = BatchOutcomes([], [])
        while let batch = next() {
            let start = ContinuousClock.now
            let outcomes = await writer.write(batch.map(\.offer), onceSent: { [last] in last.resume() })
            last.resume()
            last = BatchOutcomes(batch, outcomes)
            let write = Gathering.Write(size: batch.count, duration: .now - start)
            if isEnough(after: write) { continue }
            last.resume()
            if write.size > Self.maxSizeWithoutGathering { await gather(on: writer, after: write) }
        }
        last.resume()
    }

    /// Returns whether the next batch can start before the outcomes of this one are delivered.
    private func isEnough(after write: Gathering.Write) -> Bool {
        queue.withLock { queue in
            let waiting = queue.waiters.count
            return waiting > 0 && waiting >= Gathering(after: write, waiting: waiting, limit: limit).wanted
        }
    }

    /// Waits until enough offers are waiting, or for a limited time.
    private func gather(on writer: isolated BatchWriter, after write: Gathering.Write) async {
        let (number, time) = queue.withLock { queue in
            let gathering = Gathering(after: write, waiting: queue.waiters.count, limit: limit)
            queue.gatheringNumber += 1
            queue.wanted = gathering.wanted
            return (queue.gatheringNumber, gathering.time)
        }
        let timer = Task {
            try? await Task.sleep(for: time)
            queue.withLock { $0.gatheringNumber == number ? $0.endGathering(if: true) : nil }?.resume()
        }
        await withCheckedContinuation { continuation in
            let isReady = queue.withLock { queue in
                // If the timer has already fired, `wanted` is zero.
                if queue.waiters.count >= queue.wanted { return true }
                queue.gatheringEnd = continuation
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
    /// Ends the gathering if the condition is true. Returns its continuation, which the caller must resume.
    fileprivate mutating func endGathering(if isEnough: Bool) -> CheckedContinuation<Void, Never>? {
        guard isEnough else { return nil }
        wanted = 0
        defer { gatheringEnd = nil }
        return gatheringEnd
    }
}
