import Domain
import Postgres
import TestSupport
import Testing

@testable import Store

/// Connections that are lost between a commit and its response.
@Suite(.timeLimit(.minutes(15))) struct LostCommitResponses {
    /// Runs `body` with a writer that reaches the fixture's database through a relay, over an open connection.
    private func withWriter(
        _ body: (TestStore, Meeting, BatchWriter, CuttingRelay) async throws -> Void
    ) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let relay = try await CuttingRelay(to: fixture.database)
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: relay.url),
                logger: TestStore.silentLogger)
            #expect(await writer.write([Offer.paced(meeting, 1)]).map(GroupCommit.isCreated) == [true])
            try await body(fixture, meeting, writer, relay)
            await writer.close()
            await relay.close()
        }
    }

    @Test func storedRowsAreCreatedAndCountedOnce() async throws {
        try await withWriter { fixture, meeting, writer, relay in
            let offers = (2...9).map { Offer.paced(meeting, $0) }
            relay.cutAtTheNextResponse()
            let outcomes = await writer.write(offers)
            #expect(!relay.isCutPending)
            #expect(outcomes.allSatisfy(GroupCommit.isCreated), "\(outcomes)")
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (9, 9))
            // A client that sends its submission again gets a replay.
            for outcome in await writer.write(offers) {
                if case .replayed = outcome {} else { Issue.record("\(outcome)") }
            }
        }
    }

    @Test func rowsStoredEarlierAreReplayed() async throws {
        try await withWriter { fixture, meeting, writer, relay in
            var otherKey = Offer.paced(meeting, 1)
            otherKey.keyMAC = [9]
            // Rows 1 and 2 were stored earlier. The two offers with the number 5 are one repeated request.
            #expect(await writer.write([Offer.paced(meeting, 2)]).map(GroupCommit.isCreated) == [true])
            let offers = [1, 3, 4, 2, 5, 5].map { Offer.paced(meeting, $0) } + [otherKey]
            relay.cutAtTheNextResponse()
            let outcomes = await writer.write(offers)
            #expect(!relay.isCutPending)
            #expect(outcomes.map(GroupCommit.isCreated) == [false, true, true, false, true, false, false])
            for index in [0, 3, 5] {
                if case .replayed = outcomes[index] {} else { Issue.record("\(index): \(outcomes[index])") }
            }
            #expect(outcomes[6] == .refused(Problem(.alreadySubmitted)))
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (5, 5))
        }
    }

    @Test func batchOfReplaysIsReplayed() async throws {
        try await withWriter { fixture, meeting, writer, relay in
            relay.cutAtTheNextResponse()
            let outcomes = await writer.write([Offer.paced(meeting, 1)])
            #expect(!relay.isCutPending)
            if case .replayed = outcomes.first {} else { Issue.record("\(outcomes)") }
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (1, 1))
        }
    }

    @Test func storedRowsWithoutAKeyAreRecognized() async throws {
        try await withWriter { fixture, meeting, writer, relay in
            let offers = [2, 3, 3].map { Offer.keyless(meeting, $0) } + [Offer.keyless(meeting, 1)]
            relay.cutAtTheNextResponse()
            let outcomes = await writer.write(offers)
            #expect(!relay.isCutPending)
            #expect(outcomes[..<2].allSatisfy(GroupCommit.isCreated), "\(outcomes)")
            let refused = Outcome.refused(Problem(.alreadySubmitted))
            #expect(Array(outcomes[2...]) == [refused, refused])
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (3, 3))
        }
    }

    @Test func refusedRowsAreRefusedAgain() async throws {
        try await withWriter { fixture, meeting, writer, relay in
            var otherBody = Offer.paced(meeting, 1)
            otherBody.bodyMAC = [9]
            relay.cutAtTheNextResponse()
            let outcomes = await writer.write([otherBody, Offer.paced(meeting, 2)])
            #expect(!relay.isCutPending)
            #expect(outcomes[0] == .refused(Problem(.idempotencyConflict)))
            #expect(GroupCommit.isCreated(outcomes[1]))
            let counts = try await fixture.counts(of: meeting)
            #expect(counts == (2, 2))
        }
    }
}
