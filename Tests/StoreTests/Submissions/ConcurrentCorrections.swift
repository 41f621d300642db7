import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// A correction that waits for the lock of its form occupies a connection to the database.
@Suite(.timeLimit(.minutes(3))) struct ConcurrentCorrections {
    private static func correct(
        _ receipt: SubmissionReceipt, of meeting: Meeting, in fixture: TestStore, _ rating: Int
    ) async throws {
        _ = try await fixture.store.submissions.correct(
            receipt.id, code: meeting.form.code, receipt: receipt.receipt, version: nil,
            answers: .parse(Array("{\"pace\": \(rating)}".utf8)))
    }

    @Test func correctionsOfOneFormLeaveConnectionsForOthers() async throws {
        try await TestStore.run { fixture in
            let (meeting, other) = (try await fixture.openMeeting(), try await fixture.openMeeting())
            var receipts: [SubmissionReceipt] = []
            for _ in 0..<24 { receipts.append(try await fixture.submit(#"{"pace": 1}"#, to: meeting)) }
            let uncorrected = receipts
            let receipt = try await fixture.submit(#"{"pace": 1}"#, to: other)
            try await Connection.with(PostgresConfiguration(url: fixture.database.url)) { connection in
                try await connection.execute("BEGIN")
                try await connection.query("SELECT FROM form_state WHERE form_id = \(meeting.form.id) FOR UPDATE")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for receipt in uncorrected {
                        group.addTask { try await Self.correct(receipt, of: meeting, in: fixture, 5) }
                    }
                    try await fixture.database.waitUntilBlocked(2)
                    for _ in 0..<20 { #expect(try await fixture.store.results.read(other.form.id).submissions == 1) }
                    try await Self.correct(receipt, of: other, in: fixture, 3)
                    #expect(fixture.store.pool.statistics.waiting == 0)
                    try await connection.execute("COMMIT")
                    try await group.waitForAll()
                }
            }
            let rows = try await fixture.store.pool.query(
                """
                SELECT count::integer FROM tally
                WHERE form_id = \(meeting.form.id) AND question = 'pace' AND bucket = '5'
                """)
            #expect(try rows.single().decode(Int.self) == 24)
        }
    }

    @Test func correctionThatWaitsForTooLongIsRefused() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let receipt = try await fixture.submit(#"{"pace": 1}"#, to: meeting)
            let facts = try await fixture.store.cache.facts(code: meeting.form.code)
            let permits = [
                try await fixture.store.submissions.permitChange(of: facts),
                try await fixture.store.submissions.permitChange(of: facts),
            ]
            let refused = await #expect(throws: Problem.self) {
                try await Self.correct(receipt, of: meeting, in: fixture, 2)
            }
            #expect(refused?.code == .overloaded && refused?.retryAfter == 1)
            withExtendedLifetime(permits) {}
        }
    }
}
