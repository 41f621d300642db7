import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// The limits on the resources that one reading over rounds uses.
@Suite(.timeLimit(.minutes(15))) struct ReadingOverRounds {
    private static let questions = """
        [{"key": "pick", "kind": "choice", "title": "Pick", "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]},
         {"key": "why", "kind": "text", "title": "Why?"}]
        """

    /// Creates and publishes the next round with the same questions.
    private static func publishNext(after meeting: Meeting, _ fixture: TestStore) async throws -> Meeting {
        let created = try await fixture.store.rounds.createNext(
            of: meeting.seriesID, by: fixture.host, once: nil,
            read: { try NextRound.read(.object([]), after: $0, asking: $1) },
            render: { Array($0.id.uuidString.utf8) })
        let id = try #require(UUID(uuidString: String(decoding: created.body, as: UTF8.self)))
        _ = try await fixture.store.forms.publish(meetingID: id, by: fixture.host.account.id)
        return try await fixture.store.meetings.require(id, by: fixture.host)
    }

    private static func refusal(_ body: () async throws -> Void) async throws -> String? {
        try await problem(body).map { $0.faults.first.map { "\($0.pointer) \($0.code)" } ?? $0.code.rawValue }
    }

    @Test func concurrentReadsAreLimitedWithRetryAfter() async throws {
        try await TestStore.run { fixture in
            let readings = RoundReadings(
                source: fixture.store.readSource, poolSize: 4, releaseLog: ReleaseLog(pool: fixture.store.pool))
            let (entered, enter) = AsyncStream<Void>.makeStream()
            let (ended, end) = AsyncStream<Void>.makeStream()
            async let first = readings.run(
                { connection in
                    let rows = try await connection.query(
                        "SELECT current_setting('statement_timeout'), current_setting('transaction_isolation')")
                    enter.finish()
                    for await _ in ended {}
                    return try rows.single().decode(String.self, String.self)
                }, showing: { _ in [:] }, then: { $0.0 + ", " + $0.1 })
            for await _ in entered {}
            @Sendable func read() async throws {
                try await readings.run({ _ in }, showing: { _ in [:] }, then: {})
            }
            let refused = try await Self.refusal { try await read() }
            #expect(refused == "overloaded")
            end.finish()
            #expect(try await first == "4s, repeatable read")
            #expect(try await Self.refusal { try await read() } == nil)
        }
    }

    /// PostgreSQL switches to a generic plan for a frequent statement and assumes arrays of ten elements. With such a
    /// plan, thousands of forms are read one by one, and rankings exceed their four seconds.
    @Test(.disabled(if: TestCluster.usesPooler, "statements are not prepared"))
    func statementsArePlannedForTheirForms() async throws {
        try await TestStore.run { fixture in
            let pool = fixture.store.pool
            let readings = RoundReadings(
                source: ReadSource(primary: pool), poolSize: 4, releaseLog: ReleaseLog(pool: pool))
            @Sendable func plans(_ connection: Connection) async throws -> [Int] {
                let forms = (0..<100).map { _ in UUID() }
                for _ in 0..<10 {
                    try await connection.query("SELECT count FROM tally WHERE form_id = ANY (\(forms))")
                }
                let (generic, custom) = try await connection.query(
                    """
                    SELECT generic_plans, custom_plans FROM pg_prepared_statements
                    WHERE statement LIKE 'SELECT count FROM tally%'
                    """
                ).single().decode(Int.self, Int.self)
                return [generic, custom]
            }
            let plansOfReadings = try await readings.run(
                { try await plans($0) }, showing: { _ in [:] }, then: { $0 })
            #expect(plansOfReadings == [0, 10])
            let fresh = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            let plansOfOthers = try await plans(fresh)
            await fresh.close()
            #expect(
                plansOfOthers == (TestCluster.usesCitus ? [0, 10] : [5, 5]),
                "outside a reading, PostgreSQL switches to generic plans, except for distributed tables")
        }
    }

    /// The connection is released as soon as everything is read.
    @Test func responseIsBuiltWithoutAConnection() async throws {
        try await TestStore.run { fixture in
            let pool = Pool(PostgresConfiguration(url: fixture.database.url), size: 1)
            let readings = RoundReadings(
                source: ReadSource(primary: pool), poolSize: 4, releaseLog: ReleaseLog(pool: fixture.store.pool))
            let idle = try await readings.run(
                { connection in try await connection.query("SELECT 1").count }, showing: { _ in [:] },
                then: { _ in pool.statistics.idle })
            #expect(idle == 1)
            await pool.close()
        }
    }

    @Test func readsOverTheLimitsAskForAShorterPeriod() async throws {
        try await TestStore.run { fixture in
            let first = try await fixture.openMeeting(Self.questions)
            for answers in [#"{"pick": "a"}"#, #"{"pick": "b", "why": "x"}"#] {
                _ = try await fixture.submit(answers, to: first)
            }
            let second = try await Self.publishNext(after: first, fixture)
            _ = try await fixture.submit(#"{"pick": "a"}"#, to: second)
            let rows = try await fixture.store.pool.query(
                "SELECT count(*) FROM tally t JOIN form f ON f.id = t.form_id")
            let counts = try rows.single().decode(Int.self)
            func read(_ change: (inout RoundBounds) -> Void) async throws -> [String?] {
                var series = fixture.store.seriesRounds
                change(&series.bounds)
                let readings = series
                return [
                    try await Self.refusal { try await readings.pooled(of: first.seriesID) { _ in } },
                    try await Self.refusal { try await readings.trend(of: first.seriesID, question: "pick") { _ in } },
                ]
            }
            let tooMany = "?from too-many-rounds"
            #expect(try await read { _ in } == [nil, nil])
            #expect(try await read { $0.rounds = 1 } == [tooMany, tooMany])
            #expect(try await read { $0.rounds = 2 } == [nil, nil])
            #expect(try await read { $0.questions = 3 } == [tooMany, nil])
            #expect(try await read { $0.questions = 4 } == [nil, nil])
            #expect(try await read { $0.counts = counts - 1 } == [tooMany, nil])
            #expect(try await read { $0.counts = counts } == [nil, nil])
            #expect(try await read { $0.counts = 3 } == [tooMany, tooMany])
            #expect(try await read { $0.values = 1 } == [tooMany, tooMany])
            #expect(try await read { $0.values = 4 } == [nil, nil])
            #expect(try await read { $0.wordingBytes = 100 } == [tooMany, tooMany])
            let series = fixture.store.seriesRounds
            var small = series
            small.bounds.counts = 1
            small.bounds.questions = 1
            small.bounds.wordingBytes = 1
            let tight = small
            try await fixture.store.pool.execute("UPDATE meeting SET deleted_at = now() WHERE id = \(second.id)")
            #expect(
                try await Self.refusal { try await tight.pooled(of: first.seriesID) { _ in } } == nil,
                "the limits do not apply to a single round")
        }
    }

    /// Versions that change no question do not count toward the limit. Of the others, the newest are reported.
    @Test func olderVersionsAreOmitted() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions)
            for title in ["Pick 2", "Pick 3", "Pick 4"] {
                let questions = Self.questions.replacing("\"Pick\"", with: "\"\(title)\"")
                try await fixture.edit(meeting, settings: #""intro": "x""#, questions: questions)
            }
            try await fixture.edit(
                meeting, settings: #""intro": "y""#, questions: Self.questions.replacing("\"Pick\"", with: "\"Pick 4\"")
            )
            func changes(_ change: (inout RoundBounds) -> Void) async throws -> String {
                var series = fixture.store.seriesRounds
                change(&series.bounds)
                let pooled = try await series.pooled(of: meeting.seriesID) {
                    "\($0.changes.map(\.change.to)) \($0.isTruncated)"
                }
                let trend = try await series.trend(of: meeting.seriesID, question: "pick") {
                    "\($0.changes.map(\.to)) \($0.isTruncated)"
                }
                #expect(pooled == trend)
                return pooled
            }
            let allChanges = "\(["Pick 2", "Pick 3", "Pick 4"] as [String?]) false"
            #expect(try await changes { _ in } == allChanges)
            #expect(try await changes { $0.versions = 5 } == allChanges)
            #expect(try await changes { $0.versions = 3 } == "\(["Pick 4"] as [String?]) true")
            #expect(try await changes { $0.versionBytes = 1 } == "[] true")
            #expect(try await changes { $0.changedVersionBytes = 1 } == "[] true")
        }
    }

    @Test func cursorContainsTheRankingsPrior() throws {
        let keys = try #require(KeyRing(keys: [1: [UInt8](repeating: 7, count: 32)]))
        let others = try #require(KeyRing(keys: [1: [UInt8](repeating: 8, count: 32)]))
        let position = Ranking.Position(shrunkMean: 4.25, count: 3, title: "A: “B”", id: UUID())
        func content(_ weight: Double, _ within: Double?, _ between: Double?, _ method: Credibility.Method)
            -> RankCursor.Content
        {
            .init(
                position: position,
                prior: Credibility(
                    mean: 4, weight: weight, within: within, between: between, method: method,
                    base: Credibility.Base(groups: 2, answers: 9, credibility: 1.5)))
        }
        let cursors = try RankCursor(of: ["account", "pace"], keys: keys)
        for valid in [
            content(2, 1, 0.5, .buhlmannStraub), content(0, 0, 0.5, .buhlmannStraub),
            content(3, nil, nil, .meanGroupSize),
            content(3, 1, -0.5, .meanGroupSize),
        ] {
            let text = cursors.write(valid)
            #expect(cursors.read(text) == valid)
            #expect(try RankCursor(of: ["account", "pac", "e"], keys: keys).read(text) == nil)
            #expect(try RankCursor(of: ["account", "pace"], keys: others).read(text) == nil)
            #expect(cursors.read(text + "A") == nil && cursors.read(String(text.dropFirst())) == nil)
        }
        for invalid in [
            content(-3, 1, 1, .buhlmannStraub), content(.infinity, 1, 1, .buhlmannStraub),
            content(.nan, 1, 1, .meanGroupSize), content(1, -1, 1, .buhlmannStraub), content(1, 1, -1, .buhlmannStraub),
            content(1, nil, 1, .buhlmannStraub),
        ] {
            #expect(cursors.read(cursors.write(invalid)) == nil, "\(invalid.prior)")
        }
    }
}
