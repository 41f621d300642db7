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
///
/// On a Citus cluster, each worker that receives submissions without the coordinator has lanes of its own.
final class Intake: Sendable {
    /// The lanes to one server.
    private struct Server: Sendable {
        var lanes: [IntakeLane]
        /// This lane connects when it is first used.
        var largeForms: IntakeLane

        func lane(of offer: Offer) -> IntakeLane {
            offer.isLarge ? largeForms : lanes[Int(offer.formID.uuid.15) % lanes.count]
        }
    }

    private let server: Server
    private let workers: [Server]
    private let formServers: FormServers?
    /// The connection by which other instances are notified of what was sent to a worker.
    private let notifier: Pool?
    private let places: IntakePlaces

    /// - Parameters:
    ///   - workers: How the workers are reached that receive submissions without the coordinator.
    ///   - formServers: Which of these workers has a form; nil without workers.
    ///   - maxWaitingSubmissions: The maximum number of submissions that are waiting or being written. Further
    ///     submissions are refused with 503.
    init(
        configuration: PostgresConfiguration, workers: [PostgresConfiguration] = [], formServers: FormServers? = nil,
        lanes: Int, maxWaitingSubmissions: Int, maxBatchSize: Int, lockTimeout: Int, logger: Logger
    ) throws(PostgresError) {
        let notifier = workers.isEmpty ? nil : Pool(configuration, size: 1)
        func server(_ configuration: PostgresConfiguration, _ notifier: Pool?) throws(PostgresError) -> Server {
            let (configuration, settings) = Self.settings(configuration, lockTimeout: lockTimeout)
            func lane() throws(PostgresError) -> IntakeLane {
                let writer = try BatchWriter(
                    configuration: configuration, settings: settings, notifier: notifier, logger: logger)
                return IntakeLane(writer, limit: maxBatchSize)
            }
            var created: [IntakeLane] = []
            for _ in 0..<lanes { created.append(try lane()) }
            return Server(lanes: created, largeForms: try lane())
        }
        self.server = try server(configuration, nil)
        var created: [Server] = []
        for worker in workers { created.append(try server(worker, notifier)) }
        self.workers = created
        self.formServers = formServers
        self.notifier = notifier
        places = IntakePlaces(maxWaitingSubmissions)
    }

    /// The configuration of a lane's connection, and the statements with which each of its transactions begins.
    private static func settings(
        _ configuration: PostgresConfiguration, lockTimeout: Int
    ) -> (PostgresConfiguration, [Statement]) {
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
        return (configuration, settings)
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
        guard let worker = self.worker(of: offer.formID) else {
            return server.lane(of: offer).add(offer) { [places] outcome in
                places.free(place)
                then(outcome)
            }
        }
        workers[worker].lane(of: offer).add(offer) { [places, formServers] outcome in
            places.free(place)
            // The client repeats the submission, which then uses the coordinator.
            if outcome.isFailure { formServers?.avoid(worker) }
            then(outcome)
        }
    }

    /// The worker to which a submission is sent; nil for the server of all other statements.
    func worker(of form: UUID) -> Int? { formServers?.worker(of: form) }

    /// The number of submissions that are waiting or being written.
    var depth: Int { places.takenCount }

    func close() async {
        for server in [server] + workers {
            for lane in server.lanes + [server.largeForms] { await lane.close() }
        }
        await notifier?.close()
    }
}
