import Domain
import Foundation
import Logging
import Postgres

/// Queues validated submissions and writes them in batches (group commit): submissions that arrive while a batch is
/// being written wait for the next batch.
///
/// The submissions are distributed over several lanes by the id of the form, so that a form always uses the same lane.
/// A lane that waits for the lock of a form, for at most `lockTimeout` seconds, does not delay the other lanes. An idle
/// lane writes immediately.
///
/// Large forms share a separate lane, because one of their submissions costs as much as hundreds of others, and one of
/// their corrections holds the form's lock for a correspondingly long time. A form that was large in an earlier version
/// stays in this lane.
final class Intake: Sendable {
    private let lanes: [IntakeLane]
    /// This lane connects when it is first used.
    private let largeForms: IntakeLane
    private let places: IntakePlaces

    /// - Parameter maxWaitingSubmissions: The maximum number of submissions that are waiting or being written. Further
    ///   submissions are refused with 503.
    init(
        configuration: PostgresConfiguration, lanes: Int, maxWaitingSubmissions: Int, maxBatchSize: Int,
        lockTimeout: Int, logger: Logger
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
                try BatchWriter(configuration: configuration, settings: settings, logger: logger), limit: maxBatchSize)
        }
        var created: [IntakeLane] = []
        for _ in 0..<lanes { created.append(try lane()) }
        self.lanes = created
        largeForms = try lane()
        places = IntakePlaces(maxWaitingSubmissions)
    }

    /// Writes the offer and returns its outcome after COMMIT.
    ///
    /// - Parameter client: The address of the client; nil for a submission that no client has sent.
    func submit(_ offer: Offer, from client: (@Sendable () -> String)?) async -> Outcome {
        await withCheckedContinuation { continuation in
            submit(offer, from: client) { continuation.resume(returning: $0) }
        }
    }

    /// Enqueues the offer without suspending.
    ///
    /// - Parameters:
    ///   - client: The address of the client; nil for a submission that no client has sent.
    ///   - then: Called once with the outcome, after COMMIT and on any thread. It must not block.
    func submit(
        _ offer: Offer, from client: (@Sendable () -> String)?, then: @escaping @Sendable (Outcome) -> Void
    ) {
        guard let place = places.take(for: client) else {
            return then(.refused(Problem(.overloaded, retryAfter: 1)))
        }
        lane(of: offer).add(offer) { [places] outcome in
            places.free(place)
            then(outcome)
        }
    }

    private func lane(of offer: Offer) -> IntakeLane {
        offer.isLarge ? largeForms : lanes[Int(offer.formID.uuid.15) % lanes.count]
    }

    /// The number of submissions that are waiting or being written.
    var depth: Int { places.takenCount }

    func close() async {
        for lane in lanes + [largeForms] { await lane.close() }
    }
}
