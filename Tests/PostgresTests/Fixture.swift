import Logging
import Postgres
import TestSupport

/// A new database for a test of this module.
struct Fixture {
    let database: TestDatabase
    let configuration: PostgresConfiguration

    init() async throws {
        database = try await TestCluster.database()
        configuration = Fixture.quiet(database.url)
    }

    func connect() async throws(PostgresError) -> Connection { try await Connection.connect(configuration) }

    func pool(
        size: Int, acquireTimeout: Duration = .seconds(20), transactionsTakeTurns: Bool = false
    ) -> Pool {
        Pool(
            configuration, size: size, acquireTimeout: acquireTimeout, transactionsTakeTurns: transactionsTakeTurns)
    }

    static func quiet(_ url: String) -> PostgresConfiguration {
        PostgresConfiguration(url: url, logger: Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// The PostgresError that `work` throws; nil if it succeeds or throws another error.
func refusal<T>(_ work: () async throws -> T) async -> PostgresError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? PostgresError
    }
}

/// Waits until `condition` holds, for about twenty seconds at most.
func eventually(_ condition: () async throws -> Bool) async throws {
    for _ in 0..<2000 {
        if try await condition() { return }
        try await Task.sleep(for: .milliseconds(10))
    }
    throw ConditionNotMet()
}

struct ConditionNotMet: Error {}
