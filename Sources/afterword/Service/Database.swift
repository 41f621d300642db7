import EmbeddedPostgres
import Logging
import Store

/// The database of a command, for the duration of the command.
struct Database: Sendable {
    enum Origin: String, Sendable {
        /// From `--database-url`.
        case named
        /// The private cluster of a running `serve`.
        case shared
        /// The private cluster, started for this command.
        case own
    }

    let url: String
    let origin: Origin

    /// Connects to the database or starts it, runs `body`, and stops what it started. SIGINT and SIGTERM cancel `body`.
    ///
    /// - Parameter creates: Whether to create a cluster if the data folder has none. Without this, a missing cluster is
    ///   an error, because the path is probably mistyped.
    static func with<Value: Sendable>(
        _ settings: Settings, creates: Bool = false, _ logger: Logger,
        _ body: @escaping @Sendable (Database) async throws -> Value
    ) async throws -> Value {
        let stopRequest = await StopRequest.listen()
        return try await stopRequest.cancelling {
            if let url = settings.databaseURL { return try await body(Database(url: url, origin: .named)) }
            if let url = await EmbeddedPostgres.attach(folder: settings.data) {
                return try await body(Database(url: url, origin: .shared))
            }
            if !creates { try EmbeddedPostgres.requireCluster(in: settings.data) }
            let cluster = EmbeddedPostgres(folder: settings.data, logger: logger)
            let url: String
            do {
                url = try await cluster.start()
            } catch EmbeddedPostgresError.folderInUse(let folder, let pid) {
                // Another process started the cluster in the meantime.
                guard let url = await EmbeddedPostgres.attach(folder: settings.data) else {
                    throw EmbeddedPostgresError.folderInUse(folder: folder, pid: pid)
                }
                return try await body(Database(url: url, origin: .shared))
            }
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await body(Database(url: url, origin: .own)))
            } catch {
                outcome = .failure(error)
            }
            // An unstructured task, because a cancelled task would not wait for the stop.
            await Task { await cluster.stop() }.value
            return try outcome.get()
        }
    }

    /// Like `with`, but also opens the store. A private cluster that is started for this command is migrated. Any other
    /// database must already be up to date.
    static func withStore<Value: Sendable>(
        _ settings: Settings, creates: Bool = false, _ logger: Logger,
        _ body: @escaping @Sendable (Store) async throws -> Value
    ) async throws -> Value {
        try await with(settings, creates: creates, logger) { database in
            if database.origin != .own { try await database.requireCurrentSchema() }
            let store = try await database.open(settings, migrates: database.origin == .own, logger)
            let outcome: Result<Value, any Error>
            do {
                outcome = .success(try await body(store))
            } catch {
                outcome = .failure(error)
            }
            await store.close()
            return try outcome.get()
        }
    }

    /// Opens the store, with the keys in the secret file.
    ///
    /// - Parameters:
    ///   - migrates: Whether to update the schema first. Otherwise it must be up to date.
    ///   - forService: Whether requests use the pooler, the replica and the workers, if there are any.
    ///   - onMigration: Called with the changes to the schema.
    func open(
        _ settings: Settings, migrates: Bool, forService: Bool = false, _ logger: Logger,
        onMigration: (SchemaStatus) -> Void = { _ in }
    ) async throws -> Store {
        var configuration = Store.Configuration(
            url: url, poolSize: settings.poolSize, lanes: settings.intakeConnections,
            maxWaitingSubmissions: settings.intakeBound)
        if forService {
            configuration.poolerURL = settings.poolerURL
            configuration.replicaURL = settings.replicaURL
            configuration.workerURLs = settings.workerURLs
        }
        if origin != .named {
            configuration.logins = Store.Logins(
                app: EmbeddedPostgres.url(url, as: "afterword_app"),
                owner: EmbeddedPostgres.url(url, as: "afterword_owner"))
        }
        return try await Store.open(
            configuration, migrator: migrates ? Migrator() : nil, logger: logger, onMigration: onMigration
        ) { facts in
            try SecretFile.keys(settings, for: facts, logger)
        }
    }

    /// Brings the schema of a restored database up to date, recounts every result, and shows the progress.
    func recount(_ settings: Settings, _ logger: Logger) async throws -> Verification.Report {
        let store = try await open(settings, migrates: true, logger)
        let bar = ProgressBar("Recounting", total: 0)
        let outcome: Result<Verification.Report, any Error>
        do {
            outcome = .success(try await store.verification.run(repair: false) { bar.update($0, of: $1) })
        } catch {
            outcome = .failure(error)
        }
        bar.finish()
        await store.close()
        return try outcome.get()
    }

    private func requireCurrentSchema() async throws {
        let schema = try await Migrator().status(url: url)
        guard schema.isCurrent else {
            let defect =
                schema.pendingSteps.isEmpty
                ? "has outdated versions of \(schema.outdatedFunctions.count) functions"
                : "lacks \(schema.pendingSteps.count) of its migrations"
            throw Failure("The database \(defect): run `afterword migrate` with the same options first.")
        }
    }
}
