import Domain
import Foundation
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A store that reads from a streaming replica.
@Suite(.timeLimit(.minutes(5))) struct StoresWithAReplica {
    private struct Servers: Sendable {
        var primary: TestServer
        var replica: TestServer
        var fixture: TestStore
        /// The store that uses the replica. That of `fixture` does not.
        var store: Store
        var messages: LogTape

        /// Whether the replica has received a statement that contains the text.
        func hasReplicaRead(_ text: String) throws -> Bool {
            try replica.statements().contains { $0.contains(text) }
        }

        /// The number of submissions whose rating is 4, by a filter, which is read where expensive reads are.
        func filteredCount(of meeting: Meeting) async throws -> Int {
            try await store.filters.results(of: meeting, where: ["pace:4"]).results.submissions
        }
    }

    /// - Parameter delay: The milliseconds by which the replica applies each commit later.
    private static func run(delay: Int = 0, _ body: (Servers) async throws -> Void) async throws {
        let primary = try await TestServer.start(commitsSynchronously: true)
        let database = try await primary.database()
        let replica = try await primary.makeReplica(settings: "recovery_min_apply_delay = \(delay)")
        try await TestStore.use(database) { fixture in
            let tape = LogTape()
            var configuration = Store.Configuration(url: database.url)
            configuration.replicaURL = replica.url(database: "afterword")
            let store = try await Store.open(configuration, keys: fixture.keys, logger: tape.logger(.notice))
            try await body(Servers(primary: primary, replica: replica, fixture: fixture, store: store, messages: tape))
            await store.close()
        }
        await replica.remove()
        await primary.remove()
    }

    /// Without waiting for the replica, a reader would see an older state each time.
    @Test func readersSeeWhatWasSubmittedBefore() async throws {
        try await Self.run(delay: 50) { servers in
            let meeting = try await servers.fixture.openMeeting()
            for count in 1...20 {
                _ = try await servers.fixture.submit(#"{"pace": 4, "better": "more \#(count)"}"#, to: meeting)
                #expect(try await servers.filteredCount(of: meeting) == count)
                let texts = try await servers.store.texts.list(of: meeting, question: "better", limit: 1)
                #expect(texts.items.map(\.text) == ["more \(count)"])
            }
            #expect(try servers.hasReplicaRead("set_config('statement_timeout', $1"))
            #expect(try servers.hasReplicaRead("set_config('statement_timeout', '2s'"))
        }
    }

    @Test func exportsFiltersSearchesAndResultsOverRoundsAreReadFromTheReplica() async throws {
        try await Self.run { servers in
            let (store, fixture) = (servers.store, servers.fixture)
            let meeting = try await fixture.openMeeting()
            _ = try await fixture.submit(#"{"pace": 4, "better": "nothing"}"#, to: meeting)
            #expect(try await servers.filteredCount(of: meeting) == 1)
            #expect(try servers.hasReplicaRead("set_config('statement_timeout', $1"))
            var rows = 0
            try await store.exports.submissions(of: meeting.form.id) { rows += $0.count }
            #expect(rows == 1)
            #expect(try servers.hasReplicaRead("COPY (SELECT s.id, s.submitted_at"))
            #expect(
                try await store.texts.list(of: meeting, question: "better", containing: "noth", limit: 5).items.count
                    == 1)
            #expect(try servers.hasReplicaRead("set_config('statement_timeout', '2s'"))
            let pooled = try await store.seriesRounds.pooled(of: meeting.seriesID) { $0.questions.count }
            #expect(pooled == 3)
            #expect(try servers.hasReplicaRead("set_config('statement_timeout', '4s'"))
            #expect(try await store.exports.results(of: [meeting])[meeting.form.id]?.submissions == 1)
            #expect(try servers.hasReplicaRead("SELECT fs.form_id, fs.revision"))
        }
    }

    /// The counts of an open anonymous form that a reader of the replica gets are recorded on the primary.
    @Test func releasesReadFromTheReplicaAreRecordedOnThePrimary() async throws {
        try await Self.run { servers in
            let meeting = try await servers.fixture.openMeeting(settings: #""anonymous": true"#)
            for _ in 0..<6 { _ = try await servers.fixture.submit(#"{"pace": 4}"#, to: meeting) }
            let read = try await servers.store.exports.results(of: [meeting])[meeting.form.id]
            #expect(read?.visible ?? 0 > 0)
            let recorded = try await servers.fixture.store.pool.query(
                "SELECT count(*) FROM seen_state WHERE form_id = \(meeting.form.id)"
            ).single().decode(Int.self)
            #expect(recorded == 1)
        }
    }

    @Test func laggingReplicaIsNotUsedUntilItHasCaughtUp() async throws {
        try await Self.run { servers in
            let meeting = try await servers.fixture.openMeeting()
            let replica = Pool(PostgresConfiguration(url: servers.replica.url(database: "afterword")), size: 1)
            try await replica.query("SELECT pg_wal_replay_pause()")
            _ = try await servers.fixture.submit(#"{"pace": 4}"#, to: meeting)
            #expect(try await servers.filteredCount(of: meeting) == 1)
            #expect(servers.messages.lines.count { $0.contains("expensive reads use the primary") } == 1)
            let position = try await servers.store.pool.withConnection { try await Replica.Position.read(on: $0) }
            let server = try #require(servers.store.replica)
            try await replica.withConnection { connection in
                let failure = await #expect(throws: Replica.Failure.self) {
                    try await server.requireCurrent(connection, at: position)
                }
                #expect(failure?.description == "it lags behind the primary")
            }
            // During the pause, the replica is not asked.
            let before = try servers.replica.statements().count
            _ = try await servers.fixture.submit(#"{"pace": 4}"#, to: meeting)
            #expect(try await servers.filteredCount(of: meeting) == 2)
            #expect(try servers.replica.statements().count == before)
            try await replica.query("SELECT pg_wal_replay_resume()")
            try await eventually("the replica is used again") {
                _ = try await servers.filteredCount(of: meeting)
                return servers.messages.lines.contains { $0.contains("The replica is used again") }
            }
            await replica.close()
        }
    }

    @Test func frozenReplicaIsNotUsedUntilItResponds() async throws {
        try await Self.run { servers in
            let meeting = try await servers.fixture.openMeeting()
            _ = try await servers.fixture.submit(#"{"pace": 4}"#, to: meeting)
            #expect(try await servers.filteredCount(of: meeting) == 1)
            try servers.replica.freeze()
            #expect(try await servers.filteredCount(of: meeting) == 1)
            #expect(servers.messages.lines.contains { $0.contains("it does not respond") })
            #expect(try await servers.filteredCount(of: meeting) == 1)
            try servers.replica.thaw()
            try await eventually("the replica is used again") {
                _ = try await servers.filteredCount(of: meeting)
                return servers.messages.lines.contains { $0.contains("The replica is used again") }
            }
        }
    }

    @Test func killedAndRestartedReplicaLosesNoRead() async throws {
        try await Self.run { servers in
            let meeting = try await servers.fixture.openMeeting()
            _ = try await servers.fixture.submit(#"{"pace": 4}"#, to: meeting)
            let isOver = Counter()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var reads = 0
                        while isOver.value == 0 {
                            let count = try await servers.filteredCount(of: meeting)
                            #expect(count == 1)
                            reads += 1
                        }
                        return reads
                    }
                }
                for _ in 0..<2 {
                    try await servers.replica.kill()
                    try await eventually("the failure is noticed") { !servers.messages.lines.isEmpty }
                    try await servers.replica.restart()
                    let used = servers.messages.lines.count { $0.contains("The replica is used again") }
                    try await eventually("the replica is used again") {
                        servers.messages.lines.count { $0.contains("The replica is used again") } > used
                    }
                }
                isOver.increment()
                for try await reads in group { #expect(reads > 0) }
            }
        }
    }

    @Test func promotedReplicaIsNotReadFrom() async throws {
        try await Self.run { servers in
            let meeting = try await servers.fixture.openMeeting()
            _ = try await servers.fixture.submit(#"{"pace": 4}"#, to: meeting)
            try await servers.replica.promote()
            _ = try await servers.fixture.submit(#"{"pace": 4}"#, to: meeting)
            #expect(try await servers.filteredCount(of: meeting) == 2)
            #expect(servers.messages.lines.contains { $0.contains("it is a primary itself") })
        }
    }

    /// The replica cancels statements that need rows which the primary has removed.
    @Test func readThatConflictsWithTheReplayIsRepeatedOnThePrimary() async throws {
        try await Self.run { servers in
            let source = servers.store.readSource
            let attempts = Counter()
            let count = try await source.transaction { connection in
                attempts.increment()
                if attempts.value == 1 {
                    throw PostgresError(
                        .server, "canceling statement due to conflict with recovery", sqlState: "40001")
                }
                return try await connection.query("SELECT 1").single().decode(Int.self)
            }
            #expect(count == 1 && attempts.value == 2)
            await #expect(throws: PostgresError.self) {
                try await source.transaction { _ in throw PostgresError(.server, "no such column", sqlState: "42703") }
            }
        }
    }

    @Test func replicaOfAnotherServerIsRefused() async throws {
        try await Self.run { servers in
            let other = try await TestServer.start()
            let foreign = try await other.database()
            var configuration = Store.Configuration(url: servers.fixture.database.url)
            configuration.replicaURL = foreign.url
            await #expect {
                try await Store.open(configuration, keys: servers.fixture.keys, logger: TestStore.silentLogger)
            } throws: { "\($0)" == "replica-url leads to another database than database-url." }
            await other.remove()
        }
    }

    @Test func storeOpensWithAPrimaryOrNothingInPlaceOfTheReplica() async throws {
        try await Self.run { servers in
            let meeting = try await servers.fixture.openMeeting()
            _ = try await servers.fixture.submit(#"{"pace": 4}"#, to: meeting)
            let primary = servers.fixture.database.url
            for (url, message) in [
                (primary, "it is a primary itself"),
                ("postgresql:///afterword?host=/nowhere", "replica-url cannot be used"),
            ] {
                let tape = LogTape()
                var configuration = Store.Configuration(url: primary)
                configuration.replicaURL = url
                let store = try await Store.open(
                    configuration, keys: servers.fixture.keys, logger: tape.logger(.notice))
                #expect(tape.lines.contains { $0.contains(message) }, "\(tape.lines)")
                let found = try await store.filters.results(of: meeting, where: ["pace:4"])
                #expect(found.results.submissions == 1)
                await store.close()
            }
        }
    }
}

private final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() { count.add(1, ordering: .relaxed) }
}
