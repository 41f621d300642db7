import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// Stores that send submissions to the workers of a Citus cluster without the coordinator (`worker-urls`).
@Suite(.timeLimit(.minutes(10))) struct SubmissionsToWorkers {
    /// Runs `body` with a second store that knows the workers, and with open meetings on each of them.
    private static func run(
        urls: (TestDatabase) -> [String] = \.workerURLs,
        _ body: @Sendable (_ fixture: TestStore, _ direct: Store, _ meetings: [Meeting]) async throws -> Void
    ) async throws {
        try await TestStore.run { fixture in
            let direct = try await fixture.secondStore(workerURLs: urls(fixture.database))
            var meetings: [Meeting] = []
            for _ in 1...8 { meetings.append(try await fixture.openMeeting()) }
            do {
                try await body(fixture, direct, meetings)
                await direct.close()
            } catch {
                await direct.close()
                throw error
            }
        }
    }

    /// The number of connections of the service to a worker that have stored submissions.
    private static func writers(at url: String) async throws -> Int {
        try await Connection.with(PostgresConfiguration(url: url, applicationName: "tests")) { connection in
            try await connection.query(
                """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND application_name = 'afterword' AND query LIKE 'SELECT outcomes%'
                """
            ).single().decode(Int.self)
        }
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func submissionsAreSentToTheWorkerOfTheirForm() async throws {
        try await Self.run { fixture, direct, meetings in
            let urls = fixture.database.workerURLs
            let indexes = try await DirectWorkers(urls: urls).known(to: fixture, for: meetings)
            #expect(Set(indexes.values) == Set(urls.indices), "each worker has one of \(meetings.count) forms")
            // The first one uses the coordinator, and lets the store read which worker has the form.
            for meeting in meetings { _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting, through: direct) }
            for meeting in meetings {
                try await eventually("the worker of a form is known") {
                    direct.intake.worker(of: meeting.form.id) == indexes[meeting.form.id]
                }
                for pace in 2...5 {
                    _ = try await fixture.submit("{\"pace\": \(pace)}", to: meeting, through: direct)
                }
                let counts = try await fixture.counts(of: meeting)
                #expect(counts == (5, 5))
            }
            for url in urls { #expect(try await Self.writers(at: url) > 0) }
        }
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func repetitionByTheCoordinatorIsAReplay() async throws {
        try await Self.run { fixture, direct, meetings in
            for meeting in meetings {
                _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting, through: direct)
                try await eventually("the worker of a form is known") {
                    direct.intake.worker(of: meeting.form.id) != nil
                }
                let key = "key-\(meeting.id)"
                let first = try await fixture.submit(#"{"pace": 3}"#, to: meeting, key: key, through: direct)
                let second = try await fixture.submit(#"{"pace": 3}"#, to: meeting, key: key)
                #expect(first.receipt == second.receipt && second.isReplay)
                let counts = try await fixture.counts(of: meeting)
                #expect(counts == (2, 2))
            }
        }
    }

    /// The form's lane at a worker passes submissions to the worker that has the form.
    @Test(.enabled(if: TestCluster.usesCitus)) func submissionsToAnotherWorkerAreStored() async throws {
        try await TestStore.run { fixture in
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.workerURLs[0]),
                notifier: fixture.store.pool, logger: TestStore.silentLogger)
            var meetings: [Meeting] = []
            for _ in 1...8 { meetings.append(try await fixture.openMeeting()) }
            let offers = meetings.sorted { $0.form.id < $1.form.id }.map { Offer.paced($0, 1) }
            let outcomes = await writer.write(offers)
            await writer.close()
            #expect(outcomes.allSatisfy(GroupCommit.isCreated), "\(outcomes)")
            for meeting in meetings {
                let counts = try await fixture.counts(of: meeting)
                #expect(counts == (1, 1))
            }
        }
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func unreachableWorkerLeavesItsFormsToTheCoordinator() async throws {
        let missing = "postgresql://postgres@127.0.0.1:1/x"
        try await Self.run(urls: { [missing] + $0.workerURLs.dropFirst() }) { fixture, direct, meetings in
            for meeting in meetings {
                for pace in 1...3 { _ = try await fixture.submit("{\"pace\": \(pace)}", to: meeting, through: direct) }
                let counts = try await fixture.counts(of: meeting)
                #expect(counts == (3, 3))
            }
            let defects = try await DirectWorkers.check(urls: [missing], coordinator: fixture.database.url)
            #expect(defects.map(\.description).first?.hasPrefix("URL 1 of worker-urls cannot be used") == true)
        }
    }

    @Test(.enabled(if: TestCluster.usesCitus)) func serverThatIsNoWorkerIsRefused() async throws {
        try await TestStore.run { fixture in
            for url in [fixture.database.url, try await TestCluster.url()] {
                await #expect {
                    try await fixture.secondStore(workerURLs: fixture.database.workerURLs + [url])
                } throws: {
                    "\($0)".contains("of worker-urls leads to no worker of the cluster of database-url.")
                }
            }
        }
    }

    // On a cluster, the tables of every test are distributed.
    @Test(.disabled(if: TestCluster.usesCitus)) func databaseThatIsNotDistributedIsRefused() async throws {
        try await TestStore.run { fixture in
            _ = await #expect {
                try await fixture.secondStore(workerURLs: [fixture.database.url])
            } throws: {
                "\($0)".hasPrefix("worker-urls needs a database with distributed tables")
            }
        }
    }
}

extension DirectWorkers {
    fileprivate func known(to fixture: TestStore, for meetings: [Meeting]) async throws -> [UUID: Int] {
        let defects = try await fixture.store.pool.withConnection { try await check(on: $0) }
        #expect(defects.isEmpty, "\(defects)")
        return try await indexes(of: meetings.map(\.form.id), fixture.store.pool)
    }
}
