import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// Group commit: submissions that arrive while a batch is being written wait for the next one.
///
/// An idle lane writes immediately, without a timer. A form's id determines its lane, so that a lane that waits for one
/// form's lock (at most a second) delays no other lane.
final class Intake: Sendable {
    private let lanes: [IntakeLane]
    private let waiting = Atomic<Int>(0)
    /// The largest number of submissions that are waiting or being written; one more gets 503.
    let bound: Int

    init(configuration: PostgresConfiguration, lanes: Int, bound: Int, batch: Int, logger: Logger) throws(PostgresError)
    {
        var configuration = configuration
        configuration.onConnect.append("SET lock_timeout = '1s'")
        configuration.onConnect.append("SET default_transaction_isolation = 'read committed'")
        let settled = configuration
        var made: [IntakeLane] = []
        for _ in 0..<lanes { made.append(try IntakeLane(configuration: settled, limit: batch, logger: logger)) }
        self.lanes = made
        self.bound = bound
    }

    /// Returns this offer's outcome after COMMIT.
    func submit(_ offer: Offer) async -> Outcome {
        await withCheckedContinuation { continuation in
            submit(offer) { continuation.resume(returning: $0) }
        }
    }

    /// The same without suspending: `then` gets the outcome, once, on any thread; it must not block.
    func submit(_ offer: Offer, then: @escaping @Sendable (Outcome) -> Void) {
        guard waiting.add(1, ordering: .relaxed).newValue <= bound else {
            waiting.subtract(1, ordering: .relaxed)
            return then(.refused(Problem(.overloaded, retryAfter: 1)))
        }
        lanes[Int(offer.formID.uuid.15) % lanes.count].add(offer) { [self] outcome in
            waiting.subtract(1, ordering: .relaxed)
            then(outcome)
        }
    }

    /// The number of submissions that are waiting or being written.
    var depth: Int { waiting.load(ordering: .relaxed) }

    func close() async {
        for lane in lanes { await lane.close() }
    }
}
