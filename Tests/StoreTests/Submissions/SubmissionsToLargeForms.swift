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

    /// A form that was large in an earlier version stays large, because its corrections change the earlier counts.
    @Test(arguments: [false, true]) func lockedLargeFormDelaysNoOtherForm(wasEdited: Bool) async throws {
        try await TestStore.run(lanes: 1, lockTimeout: 60) { fixture in
            let (large, other) = (
                try await fixture.openMeeting(Self.questions(20)), try await fixture.openMeeting()
            )
            if wasEdited { try await fixture.edit(large, settings: "", questions: TestStore.questions) }
            try await Connection.with(PostgresConfiguration(url: fixture.database.url)) { connection in
                try await connection.execute("BEGIN")
                try await connection.query("SELECT FROM form_state WHERE form_id = \(large.form.id) FOR UPDATE")
                async let waiting = fixture.submit(wasEdited ? #"{"pace": 3}"# : Self.answers(20), to: large)
                try await fixture.database.waitUntilBlocked(1)
                for _ in 0..<10 { _ = try await fixture.submit(#"{"pace": 3}"#, to: other) }
                try await connection.execute("COMMIT")
                _ = try await waiting
            }
            let counts = (try await fixture.counts(of: large).counted, try await fixture.counts(of: other).counted)
            #expect(counts == (1, 10))
        }
    }

    @Test(arguments: [false, true]) func changesOfLargeFormsUseTwoConnectionsTogether(wereEdited: Bool) async throws {
        try await TestStore.run { fixture in
            let other = try await fixture.openMeeting()
            var answered: [(Meeting, SubmissionReceipt)] = []
            for _ in 0..<4 {
                let meeting = try await fixture.openMeeting(Self.questions(10))
                answered.append((meeting, try await fixture.submit(Self.answers(10), to: meeting)))
                if wereEdited { try await fixture.edit(meeting, settings: "", questions: TestStore.questions) }
            }
            let changed = answered
            try await Connection.with(PostgresConfiguration(url: fixture.database.url)) { connection in
                try await connection.execute("BEGIN")
                for meeting in [other] + changed.map(\.0) {
                    try await connection.query("SELECT FROM form_state WHERE form_id = \(meeting.form.id) FOR UPDATE")
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (meeting, receipt) in changed {
                        group.addTask { try await Self.withdraw(receipt, from: meeting, fixture) }
                    }
                    try await fixture.database.waitUntilBlocked(2)
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

    /// The counts of all versions are added up in SQL, and must be the same as those of `PreparedForm`.
    @Test(arguments: [(5, false), (6, true)])
    func formWithMoreThan500CountsIsLarge(maxRating: Int, isLarge: Bool) async throws {
        try await TestStore.run { fixture in
            // Nine choices with 53 counts each, two ratings with 7, a third with two more than its maximum, a text with 2.
            let choices = Self.questions(9).replacing(#""multiple": true"#, with: #""other": true"#)
            let ratings = [5, 5, maxRating].enumerated()
                .map { #"{"key": "r\#($0)", "kind": "rating", "title": "Pace?", "max": \#($1)}"# }
            let text = #"{"key": "why", "kind": "text", "title": "Why?"}"#
            let questions = ([String(choices.dropFirst().dropLast())] + ratings + [text]).joined(separator: ", ")
            let meeting = try await fixture.openMeeting("[\(questions)]")
            let facts = try await fixture.store.cache.facts(code: meeting.form.code)
            let version = try #require(try await fixture.store.cache.version(1, of: meeting.form.id))
            #expect(version.tallyKeys.count == (isLarge ? 501 : 500))
            #expect(version.isLarge == isLarge && facts.isLarge == isLarge)
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
