import EmbeddedPostgres
import Logging
import Store

/// The database a command works on, for as long as the command takes.
struct Database: Sendable {
    enum Origin: String, Sendable {
        /// By `--database-url`.
        case named
        /// The private cluster that a running `serve` keeps.
        case shared
        /// The private cluster, started for this command.
        case own
    }

    let url: String
    let origin: Origin

    /// Reaches or starts the database, runs `body`, and stops what it started; SIGINT and SIGTERM end `body` early.
    ///
    /// - Parameter creates: Whether a data folder without a cluster gets one. Otherwise it is an error, for the path is
    ///   probably mistyped.
    static func with<Value: Sendable>(
        _ settings: Settings, creates: Bool = false, _ logger: Logger,
        _ body: @escaping @Sendable (Database) async throws -> Value
    ) async throws -> Value {
        let interruption = await Interruption.listen()
        return try await interruption.cancelling {
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
                // Somebody was faster by a moment.
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
            // A task of its own: a cancelled one would not wait for the stop.
            await Task { await cluster.stop() }.value
            return try outcome.get()
        }
    }

    /// The same with the store open. A cluster that is only ours is migrated; any other must be up to date.
    static func withStore<Value: Sendable>(
        _ settings: Settings, creates: Bool = false, _ logger: Logger,
        _ body: @escaping @Sendable (Store) async throws -> Value
    ) async throws -> Value {
        try await with(settings, creates: creates, logger) { database in
            if database.origin == .own {
                try await Migrator().migrate(url: database.url)
            } else {
                try await database.requireCurrentSchema()
            }
            let store = try await database.open(settings, logger)
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

    func open(_ settings: Settings, _ logger: Logger) async throws -> Store {
        let keys = try SecretFile.keys(settings, for: await DatabaseFacts.read(url: url))
        let configuration = Store.Configuration(
            url: url, poolSize: settings.poolSize, lanes: settings.intakeConnections, bound: settings.intakeBound)
        return try await Store.open(configuration, keys: keys, logger: logger)
    }

    private func requireCurrentSchema() async throws {
        let schema = try await Migrator().status(url: url)
        guard schema.isCurrent else {
            let missing =
                schema.pendingSteps.isEmpty
                ? "has other versions of \(schema.outdatedFunctions.count) functions"
                : "lacks \(schema.pendingSteps.count) of its migrations"
            throw Failure("The database \(missing): run `afterword migrate` with the same options first.")
        }
    }
}
