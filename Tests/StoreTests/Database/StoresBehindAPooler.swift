import Domain
import Foundation
import Logging
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// A store whose requests go through PgBouncer, which may run each transaction on a different connection to the server.
@Suite(.timeLimit(.minutes(5))) struct StoresBehindAPooler {
    private static func open(_ fixture: TestStore, through url: String) async throws -> Store {
        var configuration = Store.Configuration(url: fixture.database.url)
        configuration.poolerURL = url
        return try await Store.open(configuration, keys: fixture.keys, logger: TestStore.silentLogger)
    }

    private static func openingError(_ fixture: TestStore, _ url: String) async -> String? {
        do {
            let store = try await open(fixture, through: url)
            await store.close()
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func concurrentSubmissionsAreStoredOnceDuringReadsAndEdits() async throws {
        try await TestStore.run { fixture in
            let pooler = try await TestPooler(TestCluster.server(), to: fixture.database, size: 3)
            let store = try await Self.open(fixture, through: pooler.url(database: fixture.database.name))
            var meetings: [Meeting] = []
            for _ in 0..<4 { meetings.append(try await fixture.openMeeting()) }
            let targets = meetings
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<40 {
                    group.addTask {
                        let meeting = targets[client % targets.count]
                        for round in 0..<5 {
                            let key = "key-of-\(client)-and-\(round)"
                            for _ in 0..<2 {
                                _ = try await fixture.submit(
                                    #"{"pace": 4, "better": "x"}"#, to: meeting, key: key, through: store)
                            }
                            _ = try await store.results.read(meeting.form.id)
                        }
                    }
                }
                for meeting in targets {
                    group.addTask {
                        for cap in 101...105 {
                            let definition = try FormDefinition(
                                json: .parse(Array("{\"cap\": \(cap), \"questions\": \(TestStore.questions)}".utf8)))
                            _ = try await store.forms.save(
                                definition, meetingID: meeting.id, by: fixture.host.account.id
                            ) { _ in }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for meeting in targets { #expect(try await fixture.counts(of: meeting) == (50, 50)) }
            await store.close()
        }
    }

    /// Neither settings nor prepared statements of one client reach the next client on the same connection.
    @Test func sessionStateDoesNotReachOtherClients() async throws {
        try await TestStore.run { fixture in
            let pooler = try await TestPooler(TestCluster.server(), to: fixture.database, size: 1)
            let url = pooler.url(database: fixture.database.name)
            let meeting = try await fixture.openMeeting()
            let store = try await Self.open(fixture, through: url)
            for _ in 0..<3 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, through: store) }
            _ = try await store.results.read(meeting.form.id)
            var configuration = PostgresConfiguration(url: url)
            configuration.keepsSession = false
            try await Connection.with(configuration) { connection in
                let row = try await connection.query(
                    """
                    SELECT current_setting('lock_timeout'), current_setting('default_transaction_isolation'),
                        current_setting('transaction_isolation'), (SELECT count(*) FROM pg_prepared_statements),
                        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
                    """
                ).single()
                let (timeout, defaultIsolation, isolation, prepared, locks) = try row.decode(
                    String.self, String.self, String.self, Int.self, Int.self)
                #expect((timeout, defaultIsolation, isolation) == ("0", "read committed", "read committed"))
                #expect((prepared, locks) == (0, 0))
            }
            await store.close()
        }
    }

    @Test func submissionsWaitForALockNoLongerThanWithoutAPooler() async throws {
        try await TestStore.run { fixture in
            let pooler = try await TestPooler(TestCluster.server(), to: fixture.database)
            let meeting = try await fixture.openMeeting()
            // Submissions need READ COMMITTED, whatever the database's default is.
            try await fixture.asSuperuser(
                """
                ALTER DATABASE \(identifier: fixture.database.name) SET default_transaction_isolation = 'serializable'
                """)
            let store = try await Self.open(fixture, through: pooler.url(database: fixture.database.name))
            try await fixture.store.pool.transaction { connection in
                try await connection.query("SELECT FROM form_state WHERE form_id = \(meeting.form.id) FOR UPDATE")
                let refused = await #expect(throws: Problem.self) {
                    try await fixture.submit(#"{"pace": 4}"#, to: meeting, through: store)
                }
                #expect(refused?.code == .overloaded)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 {
                    group.addTask { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, through: store) }
                    group.addTask {
                        _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, through: fixture.store)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await fixture.counts(of: meeting) == (40, 40))
            await store.close()
        }
    }

    @Test func requestsNeedNoRightToChangeTables() async throws {
        try await TestStore.run { fixture in
            let user = "web_\(fixture.database.name)"
            try await fixture.asSuperuser("CREATE ROLE \(identifier: user) LOGIN IN ROLE afterword_app")
            let pooler = try await TestPooler(TestCluster.server(), to: fixture.database, user: user)
            let url = pooler.url(database: fixture.database.name)
            let facts = try await Pooler(url: url).check(against: DatabaseFacts.read(url: fixture.database.url))
            #expect(facts.user == user && !facts.mayChangeTables)
            let store = try await Self.open(fixture, through: url)
            let settings = #""anonymous": true, "minimumGroup": 3"#
            let meeting = try await fixture.openMeeting(settings: settings)
            for _ in 0..<6 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, through: store) }
            _ = try await store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            #expect(try await store.results.read(meeting.form.id).submissions == 6)
            await #expect(throws: PostgresError.self) { try await store.pool.execute("DROP TABLE tally") }
            await store.close()
        }
    }

    @Test func poolerOfAnotherDatabaseIsRefused() async throws {
        try await TestStore.run { fixture in
            let pooler = try await TestPooler(TestCluster.server(), to: fixture.database)
            let other = try await TestStore.database()
            #expect(
                await Self.openingError(fixture, pooler.url(database: other.name))
                    == "pooler-url leads to another database than database-url.")
            let nowhere = await Self.openingError(fixture, pooler.url(database: "nowhere"))
            #expect(nowhere?.hasPrefix("pooler-url cannot be used: ") == true, "\(nowhere ?? "")")
            let closed = await Self.openingError(fixture, "postgresql:///x?host=/nonexistent&port=6432")
            #expect(closed?.hasPrefix("pooler-url cannot be used: ") == true, "\(closed ?? "")")
            try await other.drop()
        }
    }

    @Test func poolerWithoutTransactionsIsRefused() async throws {
        try await TestStore.run { fixture in
            let pooler = try await TestPooler(TestCluster.server(), to: fixture.database, mode: "statement")
            let error = await Self.openingError(fixture, pooler.url(database: fixture.database.name))
            #expect(
                error == "pooler-url leads to a proxy that allows no transactions: set pool_mode to transaction.")
        }
    }

    @Test func settingsOfASessionNeedAConnectionThatKeepsThem() async throws {
        var configuration = PostgresConfiguration(url: try await TestCluster.url())
        configuration.keepsSession = false
        configuration.onConnect = ["SET work_mem = '8MB'"]
        let error = await #expect(throws: PostgresError.self) { try await Connection.connect(configuration) }
        #expect(error?.kind == .configuration)
    }

    @Test func restartedPoolerIsUsedAgain() async throws {
        try await TestStore.run { fixture in
            let server = try await TestCluster.server()
            let pooler = try await TestPooler(server, to: fixture.database)
            let meeting = try await fixture.openMeeting()
            let store = try await Self.open(fixture, through: pooler.url(database: fixture.database.name))
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "one-of-a-restart", through: store)
            try await pooler.stop()
            var refusals = 0
            try await eventually("the pooler has stopped") {
                do {
                    _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting, key: "one-of-a-restart", through: store)
                } catch let problem as Problem {
                    #expect([.databaseUnavailable, .overloaded].contains(problem.code))
                    refusals += 1
                }
                return refusals > 0
            }
            #expect(await !store.isReady())
            try await pooler.restart(server)
            try await eventually("submissions are stored again") {
                let stored = try? await fixture.submit(
                    #"{"pace": 4}"#, to: meeting, key: "one-of-a-restart", through: store)
                return stored != nil
            }
            try await eventually("the store is ready again") { await store.isReady() }
            #expect(try await fixture.counts(of: meeting) == (1, 1))
            await store.close()
        }
    }
}

extension TestStore {
    /// Runs a statement as the superuser.
    fileprivate func asSuperuser(_ statement: Statement) async throws {
        _ = try await Connection.with(PostgresConfiguration(url: database.url)) { try await $0.execute(statement) }
    }
}
