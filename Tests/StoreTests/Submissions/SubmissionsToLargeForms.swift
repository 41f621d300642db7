import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// A submission to a large form costs the database as much as hundreds of others.
@Suite(.timeLimit(.minutes(3))) struct SubmissionsToLargeForms {
    private static let optionCount = 50

    /// `count` choice questions with 50 options each.
    private static func questions(_ count: Int) -> String {
        let options = (0..<optionCount).map { #"{"id": "o\#($0)", "label": "Option \#($0)"}"# }
            .joined(separator: ", ")
        return "["
            + (0..<count).map {
                #"{"key": "q\#($0)", "kind": "choice", "title": "Which?", "multiple": true, "options": [\#(options)]}"#
            }.joined(separator: ", ") + "]"
    }

    /// Answers that choose every `step`th option of each question.
    private static func answers(_ count: Int, step: Int = 1) -> String {
        let options = stride(from: 0, to: optionCount, by: step).map { "\"o\($0)\"" }.joined(separator: ", ")
        return "{" + (0..<count).map { "\"q\($0)\": [\(options)]" }.joined(separator: ", ") + "}"
    }

    private static func withdraw(_ receipt: SubmissionReceipt, from meeting: Meeting, _ fixture: TestStore) async throws
    {
        try await fixture.store.submissions.withdraw(
            receipt.id, code: meeting.form.code, receipt: receipt.receipt)
    }

    @Test func lockedLargeFormDelaysNoOtherForm() async throws {
        try await TestStore.run(lanes: 1, lockTimeout: 60) { fixture in
            let (large, other) = (
                try await fixture.openMeeting(Self.questions(20)), try await fixture.openMeeting()
            )
            try await Connection.with(PostgresConfiguration(url: fixture.database.url)) { connection in
                try await connection.execute("BEGIN")
                try await connection.query("SELECT FROM form_state WHERE form_id = \(large.form.id) FOR UPDATE")
                async let waiting = fixture.submit(Self.answers(20), to: large)
                try await fixture.database.untilWaiting(1)
                for _ in 0..<10 { _ = try await fixture.submit(#"{"pace": 3}"#, to: other) }
                try await connection.execute("COMMIT")
                _ = try await waiting
            }
            let counts = (try await fixture.counts(of: large).counted, try await fixture.counts(of: other).counted)
            #expect(counts == (1, 10))
        }
    }

    @Test func changesOfLargeFormsUseTwoConnectionsTogether() async throws {
        try await TestStore.run { fixture in
            let other = try await fixture.openMeeting()
            var answered: [(Meeting, SubmissionReceipt)] = []
            for _ in 0..<4 {
                let meeting = try await fixture.openMeeting(Self.questions(10))
                answered.append((meeting, try await fixture.submit(Self.answers(10), to: meeting)))
            }
            let changed = answered
            try await Connection.with(PostgresConfiguration(url: fixture.database.url)) { connection in
                try await connection.execute("BEGIN")
                try await connection.query("SELECT FROM form_state FOR UPDATE")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (meeting, receipt) in changed {
                        group.addTask { try await Self.withdraw(receipt, from: meeting, fixture) }
                    }
                    try await fixture.database.untilWaiting(2)
                    // Meanwhile the other withdrawals could take a connection if they were allowed to.
                    for _ in 0..<50 { #expect(try await fixture.store.results.read(other.form.id).submissions == 0) }
                    let pool = fixture.store.pool.statistics
                    #expect(pool.connections - pool.idle == 2)
                    try await connection.execute("COMMIT")
                    try await group.waitForAll()
                }
            }
        }
    }

    /// The database of a test has no statistics. A nested loop over all buckets would take more than ten seconds.
    @Test func countsOfTheLargestFormAreFastWithoutStatistics() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions(100))
            _ = try await fixture.submit(Self.answers(100), to: meeting)
            let start = ContinuousClock.now
            let receipt = try await fixture.submit(Self.answers(100), to: meeting)
            _ = try await fixture.store.submissions.correct(
                receipt.id, code: meeting.form.code, receipt: receipt.receipt, version: nil,
                answers: .parse(Array(Self.answers(100, step: 2).utf8)))
            try await Self.withdraw(receipt, from: meeting, fixture)
            #expect(ContinuousClock.now - start < .seconds(8))
            let analyzed = try await fixture.store.pool.query(
                "SELECT FROM pg_stats WHERE tablename = 'tally' AND attname = 'bucket'")
            #expect(analyzed.isEmpty)
        }
    }
}
