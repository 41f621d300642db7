import Domain
import Foundation
import Logging
import Postgres
import Synchronization

/// Queues validated submissions and writes them in batches (group commit): submissions that arrive while a batch is
/// being written wait for the next batch.
///
/// The submissions are distributed over several lanes by the id of the form, so that a form always uses the same lane.
/// A lane that waits for the lock of a form, for at most `lockTimeout` seconds, does not delay the other lanes. An idle
/// lane writes immediately.
///
/// Large forms share a separate lane, because one of their submissions costs as much as hundreds of others, and one of
/// their corrections holds the form's lock for a correspondingly long time.
final class Intake: Sendable {
    private let lanes: [IntakeLane]
    /// This lane connects when it is first used.
    private let largeForms: IntakeLane
    private let waiting = Atomic<Int>(0)
    /// The maximum number of submissions that are waiting or being written. Further submissions are refused with 503.
    let bound: Int

    init(
        configuration: PostgresConfiguration, lanes: Int, bound: Int, batch: Int, lockTimeout: Int, logger: Logger
    ) throws(PostgresError) {
        var configuration = configuration
        // Each transaction begins with these statements if the settings cannot be set for the session.
        var settings: [Statement] = []
        if configuration.keepsSession {
            configuration.onConnect.append("SET default_transaction_isolation = 'read committed'")
            configuration.onConnect.append("SELECT set_config('lock_timeout', \("\(lockTimeout)s"), false)")
        } else {
            settings.append("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            settings.append("SELECT set_config('lock_timeout', \("\(lockTimeout)s"), true)")
        }
        func lane() throws(PostgresError) -> IntakeLane {
            IntakeLane(
                try BatchWriter(configuration: configuration, settings: settings, logger: logger), limit: batch)
        }
        var created: [IntakeLane] = []
        for _ in 0..<lanes { created.append(try lane()) }
        self.lanes = created
        largeForms = try lane()
        self.bound = bound
    }

    /// Writes the offer and returns its outcome after COMMIT.
    func submit(_ offer: Offer) async -> Outcome {
        await withCheckedContinuation { continuation in
            submit(offer) { continuation.resume(returning: $0) }
        }
    }

    /// Enqueues the offer without suspending.
    ///
    /// - Parameter then: Called once with the outcome, after COMMIT and on any thread. It must not block.
    func submit(_ offer: Offer, then: @escaping @Sendable (Outcome) -> Void) {
        guard waiting.add(1, ordering: .relaxed).newValue <= bound else {
            waiting.subtract(1, ordering: .relaxed)
            return then(.refused(Problem(.overloaded, retryAfter: 1)))
        }
        lane(of: offer).add(offer) { [self] outcome in
            waiting.subtract(1, ordering: .relaxed)
            then(outcome)
        }
    }

    private func lane(of offer: Offer) -> IntakeLane {
        if let increments = offer.increments, increments.version.isLarge { return largeForms }
        return lanes[Int(offer.formID.uuid.15) % lanes.count]
    }

    /// The number of submissions that are waiting or being written.
    var depth: Int { waiting.load(ordering: .relaxed) }

    func close() async {
        for lane in lanes + [largeForms] { await lane.close() }
    }
}
