import Domain
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Store

/// Whatever a batch contains, the counts equal its rows. If all rows of a batch are new, their counts are added up in
/// advance.
@Suite(.timeLimit(.minutes(15))) struct CountsOfBatches {
    private static let settings = [
        "", #""cap": 25"#, #""anonymous": true, "minimumGroup": 5"#, #""minimumGroup": 3"#,
    ]

    /// - Parameter number: Offers with the same number have the same id and key, but may have different bodies.
    private static func offer(_ meeting: Meeting, _ number: Int, _ random: inout SeededNumbers) -> Offer {
        let pace = random.int(1...5)
        var offer = Offer.paced(meeting, UInt8(number), pace: pace)
        if random.int(1...9) == 1 { offer.version = 9 }
        return offer
    }

    @Test(arguments: settings.indices) func countsEqualTheRows(setting: Int) async throws {
        let seed = SeededNumbers.freshSeed()
        var random = SeededNumbers(seed: seed)
        // The recount is in `TestStore.run`, which fails on any difference.
        try await TestStore.run { fixture in
            let settings = Self.settings[setting]
            let meeting = try await fixture.openMeeting(settings: settings.isEmpty ? nil : settings)
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            var created = 0
            for round in 0..<12 {
                // Even rounds may contain stored or repeated rows, odd rounds only new ones.
                let numbers =
                    round.isMultiple(of: 2)
                    ? (1...random.int(1...12)).map { _ in random.int(1...60) }
                    : Array((61 + round * 8)..<(61 + round * 8 + random.int(1...8)))
                let offers = numbers.map { Self.offer(meeting, $0, &random) }
                for case .created in await writer.write(offers) { created += 1 }
            }
            // Enough to reach the cap, whatever was sent before.
            for case .created in await writer.write((200..<230).map { Offer.paced(meeting, $0) }) { created += 1 }
            await writer.close()
            let rows = try await fixture.store.pool.query(
                """
                SELECT (SELECT count(*) FROM submission WHERE form_id = \(meeting.form.id)), s.submissions,
                    (SELECT sum(count)::bigint FROM timeline WHERE form_id = \(meeting.form.id)),
                    (SELECT count FROM tally
                     WHERE form_id = \(meeting.form.id) AND question = '' AND bucket = '#submissions')
                FROM form_state s WHERE s.form_id = \(meeting.form.id)
                """)
            let (stored, counted, timed, tallied) = try rows.single().decode(Int.self, Int.self, Int.self, Int.self)
            #expect([stored, counted, timed, tallied] == Array(repeating: created, count: 4), "seed \(seed)")
            #expect(created > 0)
            if setting == 1 { #expect(created == 25, "seed \(seed)") }
        }
    }

    @Test func newBucketsAreAddedToExistingOnes() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            for (number, paces) in [[4], [4, 5], [5, 1, 1], [1]].enumerated() {
                let offers = paces.enumerated().map { index, pace in
                    Offer.paced(meeting, UInt8(number * 10 + index + 1), pace: pace)
                }
                for outcome in await writer.write(offers) { #expect(GroupCommit.isCreated(outcome)) }
            }
            await writer.close()
            let rows = try await fixture.store.pool.query(
                """
                SELECT bucket, count FROM tally WHERE form_id = \(meeting.form.id) AND question IN ('', 'pace')
                ORDER BY bucket
                """)
            let counts = try rows.map { try $0.decode(String.self, Int.self) }.map { "\($0.0) \($0.1)" }
            #expect(counts == ["#answered 7", "#submissions 7", "1 3", "4 2", "5 2"])
        }
    }
}
