import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// A batch to several forms is stored by one call of `ingest_forms`, with the same result as a call of `ingest` for
/// each.
@Suite(.timeLimit(.minutes(15))) struct BatchesOfManyForms {
    private static let settings = [
        nil, #""cap": 9"#, #""anonymous": true, "minimumGroup": 5"#, #""minimumGroup": 3"#, #""anonymous": true"#,
    ]

    private static func writer(_ fixture: TestStore) throws -> BatchWriter {
        try BatchWriter(configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
    }

    private static func sortedByID(_ meetings: [Meeting]) -> [Meeting] { meetings.sorted { $0.form.id < $1.form.id } }

    private static func setState(_ assignment: Statement, of meeting: Meeting, in fixture: TestStore) async throws {
        try await fixture.store.pool.execute(
            "UPDATE form_state SET \(fragment: assignment) WHERE form_id = \(meeting.form.id)")
    }

    /// Everything of a form that a batch changes, without times.
    private static func contents(of meeting: Meeting, in fixture: TestStore) async throws -> [String] {
        let id = meeting.form.id
        let rows = try await fixture.store.pool.query(
            """
            SELECT concat_ws(' ', 'tally', question, bucket, question_set, count, pending, shown)
            FROM tally WHERE form_id = \(id)
            UNION ALL
            SELECT concat_ws(' ', 'submission', s.id, version, answers, step, num_nulls(submitted_at, attendee_id),
                submitted_on, encode(key_mac, 'hex'), encode(body_mac, 'hex'),
                to_char(submitted_at, 'YYYY') = '2024')
            FROM submission s WHERE form_id = \(id)
            UNION ALL
            SELECT concat_ws(' ', 'timeline', date_part('year', at) = 2024, sum(count)) FROM timeline
            WHERE form_id = \(id) GROUP BY date_part('year', at) = 2024
            UNION ALL
            SELECT concat_ws(' ', 'form', submissions, revision, state, settled) FROM form_state
            WHERE form_id = \(id)
            ORDER BY 1
            """)
        return try rows.map { try $0.decode(String.self) }
    }

    private static func summary(_ outcome: Outcome) -> String {
        switch outcome {
        case .created(_, let revision): "created \(revision)"
        case .replayed: "replayed"
        case .refused(let problem): "\(problem.code)"
        }
    }

    @Test(arguments: [false, true]) func mixedBatchHasTheResultOfOneBatchPerForm(imported: Bool) async throws {
        let seed = SeededNumbers.freshSeed()
        var random = SeededNumbers(seed: seed)
        try await TestStore.run { fixture in
            var pairs: [(together: Meeting, apart: Meeting, isAnonymous: Bool)] = []
            for settings in Self.settings + Self.settings {
                pairs.append(
                    (
                        try await fixture.openMeeting(settings: settings),
                        try await fixture.openMeeting(settings: settings), settings?.contains("anonymous") ?? false
                    ))
            }
            pairs.sort { $0.together.form.id < $1.together.form.id }
            let (mixedWriter, singleWriter) = (try Self.writer(fixture), try Self.writer(fixture))
            for round in 0..<10 {
                if round == 7 {
                    for pair in [pairs[0], pairs[5], pairs[9]] {
                        for meeting in [pair.together, pair.apart] {
                            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                        }
                    }
                }
                var (together, apart): ([Offer], [[Offer]]) = ([], [])
                for pair in pairs where random.int(1...4) > 1 {
                    let repeats = random.int(1...3) == 1
                    let numbers = (0..<random.int(1...4)).map { index in
                        repeats ? random.int(1...30) : 31 + round * 4 + index
                    }
                    var offers: [Offer] = []
                    for number in numbers {
                        var offer = Offer.paced(pair.together, UInt8(number), pace: random.int(1...5))
                        if random.int(1...20) == 1 { offer.version = 9 }
                        if random.int(1...3) == 1 { offer.attendeeID = UUIDv8.make([UInt8](repeating: 7, count: 16)) }
                        if imported, random.int(1...2) == 1 {
                            offer.submittedAt = Date(timeIntervalSince1970: 1_710_000_000 + Double(number * 50))
                        }
                        offers.append(offer)
                    }
                    together += offers
                    apart.append(
                        offers.map { offer in
                            var offer = offer
                            offer.formID = pair.apart.form.id
                            return offer
                        })
                }
                let outcomes = await mixedWriter.write(together, imported: imported).map(Self.summary)
                var expected: [String] = []
                for offers in apart {
                    expected += await singleWriter.write(offers, imported: imported).map(Self.summary)
                }
                #expect(outcomes == expected, "seed \(seed), round \(round)")
            }
            await mixedWriter.close()
            await singleWriter.close()
            for pair in pairs {
                let contents = try await Self.contents(of: pair.together, in: fixture)
                let expected = try await Self.contents(of: pair.apart, in: fixture)
                #expect(contents == expected, "seed \(seed)")
                let isRefused = imported && pair.isAnonymous
                #expect(isRefused ? contents.count == 1 : contents.count > 3)
            }
        }
    }

    /// `ingest_forms` stores no submission to these forms. They are left to `ingest`, which refuses or stores their
    /// submissions row by row.
    @Test(.disabled(if: TestCluster.usesCitus, "there each form has a statement of its own"))
    func formsOutsideTheCommonCaseAreLeftToIngest() async throws {
        try await TestStore.run { fixture in
            var opened: [String: Meeting] = [:]
            for name in [
                "common", "full", "closed", "scheduled", "trashed", "final", "stored", "outdated", "twice", "versions",
                "unknown",
            ] {
                opened[name] = try await fixture.openMeeting(settings: name == "full" ? #""cap": 1"# : nil)
            }
            let meetings = opened
            func meeting(_ name: String) throws -> Meeting { try #require(meetings[name]) }
            try await Self.setState("state = 'closed'", of: meeting("closed"), in: fixture)
            try await Self.setState("opens_at = now() + interval '1 day'", of: meeting("scheduled"), in: fixture)
            try await Self.setState("trashed = true", of: meeting("trashed"), in: fixture)
            try await Self.setState("state = 'final'", of: meeting("final"), in: fixture)
            let writer = try Self.writer(fixture)
            #expect(GroupCommit.isCreated(await writer.write([Offer.paced(try meeting("stored"), 1)])[0]))
            await writer.close()
            var groups: [ArraySlice<Offer>] = []
            let sorted = meetings.sorted { $0.value.form.id < $1.value.form.id }
            for (name, meeting) in sorted {
                var offers = [Offer.paced(meeting, 1), Offer.paced(meeting, 2)]
                if name == "outdated" { (offers[0].version, offers[1].version) = (9, 9) }
                if name == "versions" { offers[1].version = 9 }
                if name == "twice" { offers[1] = offers[0] }
                if name == "unknown" { (offers[0].formID, offers[1].formID) = (UUID(), offers[0].formID) }
                groups.append(offers[...])
            }
            let call = try #require(IngestFormsStatement(groups, imported: false, attempt: 1))
            #expect(
                sorted.indices.filter { !call.groups.contains($0) }.map { sorted[$0].key }.sorted() == [
                    "twice", "versions",
                ])
            let outcomes = try call.outcomes(try await fixture.store.pool.query(call.statement))
            #expect(outcomes.keys.map { sorted[$0].key } == ["common"])
            #expect(outcomes.values.joined().allSatisfy(GroupCommit.isCreated))
            let counts = try await fixture.counts(of: meeting("common"))
            #expect(counts == (2, 2))
            for (name, meeting) in sorted where !["common", "stored"].contains(name) {
                let rows = try await fixture.store.pool.query(
                    "SELECT count(*) FROM submission WHERE form_id = \(meeting.form.id)")
                #expect(try rows.single().decode(Int.self) == 0, "\(name)")
            }
        }
    }

    @Test func batchWithALostResponseIsStoredOnce() async throws {
        try await TestStore.run { fixture in
            var meetings: [Meeting] = []
            for _ in 0..<4 { meetings.append(try await fixture.openMeeting()) }
            meetings = Self.sortedByID(meetings)
            let relay = try await CuttingRelay(to: fixture.database)
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: relay.url),
                logger: TestStore.silentLogger)
            let offers = meetings.flatMap { meeting in (2...4).map { Offer.paced(meeting, $0) } }
            // Opens the connection. The last form then has a stored row, so it needs a second commit.
            #expect(GroupCommit.isCreated(await writer.write([Offer.paced(meetings[3], 2)])[0]))
            relay.cutAtTheNextResponse()
            let outcomes = await writer.write(offers)
            #expect(!relay.isCutPending)
            #expect(outcomes.map(GroupCommit.isCreated) == (0..<12).map { $0 != 9 }, "\(outcomes)")
            if case .replayed = outcomes[9] {} else { Issue.record("\(outcomes[9])") }
            for outcome in await writer.write(offers) {
                if case .replayed = outcome {} else { Issue.record("\(outcome)") }
            }
            for meeting in meetings {
                let counts = try await fixture.counts(of: meeting)
                #expect(counts == (3, 3))
            }
            await writer.close()
            await relay.close()
        }
    }

    @Test(.disabled(if: TestCluster.usesCitus, "there each form has a statement of its own"))
    func committedSubmissionsAreNotSentAgain() async throws {
        try await TestStore.run { fixture in
            var meetings: [Meeting] = []
            for _ in 0..<3 { meetings.append(try await fixture.openMeeting()) }
            let sorted = Self.sortedByID(meetings)
            var configuration = PostgresConfiguration(url: fixture.database.url)
            configuration.onConnect.append("SELECT set_config('lock_timeout', '2s', false)")
            let writer = try BatchWriter(configuration: configuration, logger: TestStore.silentLogger)
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.script("BEGIN")
            try await holder.query("SELECT 1 FROM form_state WHERE form_id = \(sorted[1].form.id) FOR UPDATE")
            // Because of its repeated id, the second form has a commit of its own, which waits for the lock in vain.
            let offers = [0, 1, 1, 2].map { Offer.paced(sorted[$0], 1) }
            async let written = writer.write(offers)
            try await fixture.database.waitUntilBlocked(1)
            try await Self.setState("trashed = true", of: sorted[0], in: fixture)
            let outcomes = await written
            #expect(outcomes.map(GroupCommit.isCreated) == [true, false, false, true], "\(outcomes)")
            await holder.close()
            await writer.close()
        }
    }

    /// Writers that each lock several forms in the same order wait for each other instead of failing.
    @Test func writersOfTheSameFormsDoNotDeadlock() async throws {
        try await TestStore.run { fixture in
            var meetings: [Meeting] = []
            for _ in 0..<8 { meetings.append(try await fixture.openMeeting()) }
            let sorted = Self.sortedByID(meetings)
            let outcomes = try await withThrowingTaskGroup(of: [Outcome].self) { group in
                for number in 0..<6 {
                    let writer = try Self.writer(fixture)
                    group.addTask {
                        var outcomes: [Outcome] = []
                        for round in 0..<20 {
                            let offers = sorted.enumerated().filter { ($0.offset + number + round) % 3 != 0 }.map {
                                Offer.paced($0.element, UInt8(number * 40 + round))
                            }
                            outcomes += await writer.write(offers)
                        }
                        await writer.close()
                        return outcomes
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(outcomes.allSatisfy(GroupCommit.isCreated))
            var stored = 0
            for meeting in meetings { stored += try await fixture.counts(of: meeting).stored }
            #expect(stored == outcomes.count)
        }
    }

    @Test func listenersAreNotifiedOfAllFormsOfABatch() async throws {
        try await TestStore.run { fixture in
            var meetings: [Meeting] = []
            for _ in 0..<3 { meetings.append(try await fixture.openMeeting()) }
            let sorted = Self.sortedByID(meetings)
            let configuration = PostgresConfiguration(url: fixture.database.url)
            var events = Listener(configuration, channels: [FormChannel.name]).makeAsyncIterator()
            #expect(await events.next() == .refresh)
            let writer = try Self.writer(fixture)
            _ = await writer.write([Offer.paced(sorted[0], 1)])
            var notified: Set<String> = []
            // The row that was stored before needs a commit of its own.
            _ = await writer.write(sorted.map { Offer.paced($0, 1) })
            while notified.count < 3, let event = await events.next() {
                if case .notification(_, let payload) = event { notified.insert(payload) }
            }
            #expect(notified == Set(sorted.map(\.form.id.lowercased)))
            await writer.close()
        }
    }
}
