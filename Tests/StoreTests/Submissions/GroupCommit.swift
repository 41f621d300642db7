import Domain
import Foundation
import Logging
import Postgres
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(15))) struct GroupCommit {
    static func isCreated(_ outcome: Outcome) -> Bool {
        if case .created = outcome { true } else { false }
    }

    @Test func invalidRowDoesNotFailItsBatch() async throws {
        try await TestStore.run { fixture in
            let one = try await fixture.openMeeting()
            let other = try await fixture.openMeeting()
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            let offers =
                (1...9).map { Offer.paced(one, $0, answers: $0 == 5 ? "no json" : nil) }
                + [Offer.paced(other, 1)]
            let outcomes = await writer.write(offers)
            await writer.close()
            #expect(outcomes.map(Self.isCreated) == (1...10).map { $0 != 5 })
            #expect(outcomes[4] == .refused(Problem(.internalError)))
            let counts = try await fixture.counts(of: one)
            #expect(counts == (8, 8))
        }
    }

    /// Because of the invalid row, the writer stores the others one by one. The repeated offer finds the stored row.
    @Test func repeatedOfferBesideAnInvalidRowIsReplayed() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            let offers =
                [Offer.paced(meeting, 1), Offer.paced(meeting, 1)]
                + [Offer.paced(meeting, 2, answers: "no json"), Offer.paced(meeting, 3)]
            let outcomes = await writer.write(offers)
            await writer.close()
            #expect(outcomes.map(Self.isCreated) == [true, false, false, true])
            if case .replayed = outcomes[1] {} else { Issue.record("\(outcomes[1])") }
            #expect(outcomes[2] == .refused(Problem(.internalError)))
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (2, 2))
        }
    }

    @Test func equalIdsInOneBatchAreComparedWithTheFirst() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            let first = Offer.paced(meeting, 1)
            var otherBody = first
            otherBody.bodyMAC = [9]
            var otherKey = first
            otherKey.keyMAC = [9]
            let outcomes = await writer.write([first, first, otherBody, otherKey])
            await writer.close()
            #expect(Self.isCreated(outcomes[0]))
            if case .replayed = outcomes[1] {} else { Issue.record("\(outcomes[1])") }
            #expect(outcomes[2] == .refused(Problem(.idempotencyConflict)))
            #expect(outcomes[3] == .refused(Problem(.alreadySubmitted)))
        }
    }

    @Test func rowsWithoutAKeyAreNeverReplays() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            let (keyless, keyed) = (Offer.keyless(meeting, 1), Offer.paced(meeting, 1))
            let refused = Outcome.refused(Problem(.alreadySubmitted))
            let outcomes = await writer.write([keyless, keyless, keyed])
            #expect(Self.isCreated(outcomes[0]))
            #expect(Array(outcomes[1...]) == [refused, refused])
            // The same applies to rows that were stored earlier or with a key.
            #expect(await writer.write([keyless]) == [refused])
            #expect(await writer.write([keyed]) == [refused])
            #expect(await writer.write([Offer.paced(meeting, 2)]).map(Self.isCreated) == [true])
            #expect(await writer.write([Offer.keyless(meeting, 2)]) == [refused])
            // The invalid row makes the writer store the others one by one.
            let beside = await writer.write([
                Offer.keyless(meeting, 3), Offer.keyless(meeting, 3), Offer.paced(meeting, 4, answers: "no json"),
            ])
            await writer.close()
            #expect(Self.isCreated(beside[0]))
            #expect(beside[1] == refused)
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (3, 3))
        }
    }

    @Test func repetitionOfARefusedRowIsRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: #""cap": 1"#)
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            let outcomes = await writer.write([
                Offer.paced(meeting, 1), Offer.paced(meeting, 2), Offer.paced(meeting, 2), Offer.paced(meeting, 1),
            ])
            await writer.close()
            #expect(Self.isCreated(outcomes[0]))
            #expect(outcomes[1] == .refused(Problem(.formFull)))
            #expect(outcomes[2] == .refused(Problem(.formFull)))
            if case .replayed = outcomes[3] {} else { Issue.record("\(outcomes[3])") }
        }
    }

    @Test func lockedFormReturns503AndDelaysNoOtherForm() async throws {
        try await TestStore.run(lanes: 1) { fixture in
            let locked = try await fixture.openMeeting()
            let free = try await fixture.openMeeting()
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.script("BEGIN")
            try await holder.query("SELECT 1 FROM form_state WHERE form_id = \(locked.form.id) FOR UPDATE")
            let (stuck, passed) = try await withThrowingTaskGroup(of: (Bool, ProblemCode?).self) { group in
                for meeting in [locked, free] {
                    for _ in 0..<4 {
                        group.addTask {
                            let refusal = try await problem {
                                _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting)
                            }
                            return (meeting.id == locked.id, refusal?.code)
                        }
                    }
                }
                var (stuck, passed): ([ProblemCode?], [ProblemCode?]) = ([], [])
                for try await (isLocked, code) in group {
                    if isLocked { stuck.append(code) } else { passed.append(code) }
                }
                return (stuck, passed)
            }
            await holder.close()
            #expect(stuck == Array(repeating: .overloaded, count: 4))
            #expect(passed == Array(repeating: nil, count: 4))
        }
    }

    /// The next batch is sent before the clients of the last batch get their outcomes, but they do not wait for it.
    @Test func outcomesAreDeliveredWhileTheNextBatchIsWritten() async throws {
        // The lock timeout is longer than a busy machine takes to deliver the outcome.
        try await TestStore.run(lanes: 1, lockTimeout: 30) { fixture in
            let first = try await fixture.openMeeting()
            let next = try await fixture.openMeeting()
            var holders: [Connection] = []
            for meeting in [first, next] {
                let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
                try await holder.script("BEGIN")
                try await holder.query("SELECT 1 FROM form_state WHERE form_id = \(meeting.form.id) FOR UPDATE")
                holders.append(holder)
            }
            let stored = Task { try await problem { _ = try await fixture.submit(#"{"pace": 1}"#, to: first) } }
            // The first submission's batch must have been sent. Otherwise the following submissions would join it.
            try await fixture.database.waitUntilBlocked(1)
            try await withThrowingTaskGroup(of: Problem?.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await problem { _ = try await fixture.submit(#"{"pace": 1}"#, to: next) } }
                }
                try await eventually("5 submissions wait") { fixture.store.submissions.depth >= 5 }
                try await holders[0].script("ROLLBACK")
                let refusal = try await stored.value
                #expect(refusal == nil)
                // If this outcome had waited for the next batch, that batch's wait for the lock would have timed out.
                try await holders[1].script("ROLLBACK")
                for try await outcome in group { #expect(outcome == nil) }
            }
            for holder in holders { await holder.close() }
        }
    }

    @Test func submissionsOverTheLimitGetRetryAfter() async throws {
        try await TestStore.run(maxWaitingSubmissions: 4) { fixture in
            let meeting = try await fixture.openMeeting()
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.script("BEGIN")
            try await holder.query("SELECT 1 FROM form_state WHERE form_id = \(meeting.form.id) FOR UPDATE")
            try await withThrowingTaskGroup(of: Problem?.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await problem { _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting) } }
                }
                try await eventually("4 submissions wait") { fixture.store.submissions.depth >= 4 }
                let refusal = try await problem { _ = try await fixture.submit(#"{"pace": 2}"#, to: meeting) }
                #expect(refusal?.code == .overloaded)
                #expect(refusal?.retryAfter == 1)
                try await holder.script("ROLLBACK")
                for try await outcome in group { #expect(outcome == nil) }
            }
            await holder.close()
        }
    }

    @Test func submissionsToManyFormsOnTwoInstancesAreAllCounted() async throws {
        try await TestStore.run { fixture in
            var meetings: [Meeting] = []
            for _ in 0..<12 { meetings.append(try await fixture.openMeeting()) }
            let second = try await fixture.secondStore()
            let targets = meetings
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<32 {
                    group.addTask {
                        for number in 0..<24 {
                            let meeting = targets[(client * 7 + number * 5) % targets.count]
                            _ = try await fixture.submit(
                                #"{"pace": \#(number % 5 + 1), "topics": ["demo"]}"#, to: meeting,
                                through: client.isMultiple(of: 2) ? second : nil)
                        }
                    }
                }
                try await group.waitForAll()
            }
            await second.close()
            var total = 0
            for meeting in meetings { total += try await fixture.counts(of: meeting).counted }
            #expect(total == 32 * 24)
        }
    }

    @Test func invalidRowDoesNotFailItsBatchAfterALostConnection() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            #expect(Self.isCreated(await writer.write([Offer.paced(meeting, 1)])[0]))
            let killer = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            let killed = try await killer.query(
                """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE datname = current_database() AND query LIKE '%pg_notify%' AND pid <> pg_backend_pid()
                """)
            #expect(killed.count == 1)
            await killer.close()
            let outcomes = await writer.write(
                (2...5).map { Offer.paced(meeting, $0, answers: $0 == 3 ? "no json" : nil) })
            await writer.close()
            #expect(outcomes.map(Self.isCreated) == [true, false, true, true])
            #expect(outcomes[1] == .refused(Problem(.internalError)))
        }
    }

    @Test func unavailableDatabaseAtTheFirstConnectionIsA503() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            var nowhere = PostgresConfiguration(url: fixture.database.url)
            nowhere.url = nowhere.url.replacing(fixture.database.name, with: "no_such_database")
            let writer = try BatchWriter(configuration: nowhere, logger: TestStore.silentLogger)
            let outcomes = await writer.write([Offer.paced(meeting, 1), Offer.paced(meeting, 2)])
            await writer.close()
            #expect(
                outcomes == [
                    .refused(Problem(.databaseUnavailable, retryAfter: 1)),
                    .refused(Problem(.databaseUnavailable, retryAfter: 1)),
                ])
        }
    }
}

extension Offer {
    private static let version = PreparedForm(questions: [
        Question(key: "pace", title: "How was the pace?", required: false, kind: .rating(Question.Rating())),
        Question(
            key: "topics", title: "What helped?", required: false,
            kind: .choice(Question.Choice(options: [], multiple: true, other: true))),
        Question(key: "better", title: "What should change?", required: false, kind: .text(maxLength: 200)),
    ])

    /// A submission to a form of `TestStore.questions`; all offers with the same number and pace are equal.
    ///
    /// - Parameter answers: The text to store instead of the answers in JSON.
    static func paced(_ meeting: Meeting, _ number: UInt8, pace: Int = 4, answers: String? = nil) -> Offer {
        let given = Answers([.init("pace", .rating(pace))])
        return Offer(
            formID: meeting.form.id, id: UUIDv8.make([UInt8](repeating: number, count: 16)), version: 1,
            answers: answers ?? given.text, increments: version.increments(given), keyMAC: [number], bodyMAC: [number])
    }

    /// The same submission without an `Idempotency-Key`.
    static func keyless(_ meeting: Meeting, _ number: UInt8) -> Offer {
        var offer = paced(meeting, number)
        (offer.keyMAC, offer.bodyMAC) = (nil, nil)
        return offer
    }
}
