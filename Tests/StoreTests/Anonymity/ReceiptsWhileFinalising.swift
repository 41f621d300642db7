import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// Authors use their receipts while finalising replaces the ids of their submissions.
@Suite(.timeLimit(.minutes(15))) struct ReceiptsWhileFinalising {
    private static let anonymous = #""anonymous": true"#

    private static func correct(
        _ mine: SubmissionReceipt, of meeting: Meeting, through submissions: Submissions
    ) async throws -> ProblemCode? {
        try await problem {
            _ = try await submissions.correct(
                mine.id, code: meeting.form.code, receipt: mine.receipt, version: nil,
                answers: JSONValue.parse(Array(#"{"pace": 1}"#.utf8)))
        }?.code
    }

    private static func withdraw(
        _ mine: SubmissionReceipt, of meeting: Meeting, through submissions: Submissions
    ) async throws -> ProblemCode? {
        try await problem {
            try await submissions.withdraw(mine.id, code: meeting.form.code, receipt: mine.receipt)
        }?.code
    }

    /// Finalises or trashes the form in a transaction, and commits once `count` requests wait for the form's lock.
    private static func whileChanging<Value: Sendable>(
        _ meeting: Meeting, in fixture: TestStore, untilBlocked count: Int, finalises: Bool = true,
        requests: @escaping @Sendable () -> Value
    ) async throws -> Value {
        try await fixture.store.pool.transaction { connection in
            let id = meeting.form.id
            if finalises {
                try await connection.execute(
                    "UPDATE form_state SET state = 'finalising', finalising_since = now() WHERE form_id = \(id)")
                try await connection.query("SELECT unlink_submissions(\(id))")
            } else {
                try await connection.execute("UPDATE form_state SET trashed = true WHERE form_id = \(id)")
            }
            let waiting = requests()
            try await fixture.database.waitUntilBlocked(count)
            return waiting
        }
    }

    @Test func changesThatWaitForFinalisingAreConflicts() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: Self.anonymous)
            let submissions = fixture.store.submissions
            let corrected = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let withdrawn = try await fixture.submit(#"{"pace": 5}"#, to: meeting)
            let (correction, withdrawal) = try await Self.whileChanging(meeting, in: fixture, untilBlocked: 2) {
                (
                    Task { try await Self.correct(corrected, of: meeting, through: submissions) },
                    Task { try await Self.withdraw(withdrawn, of: meeting, through: submissions) }
                )
            }
            #expect(try await correction.value == .formFinal)
            #expect(try await withdrawal.value == .formFinal)
            #expect(try await fixture.counts(of: meeting).stored == 2)
        }
    }

    /// The facts of the form, including its salt, were read before finalising deleted the salt.
    @Test func readingWithOutdatedFactsIsAConflict() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: Self.anonymous)
            let mine = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let clock = ManualClock()
            let cache = FormCache(pool: fixture.store.pool, keys: fixture.keys) { clock.now }
            let stale = Submissions(pool: fixture.store.pool, cache: cache, intake: fixture.store.intake)
            _ = try await stale.find(mine.id, code: meeting.form.code, receipt: mine.receipt)
            _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            try await fixture.store.pool.query("SELECT unlink_submissions(\(meeting.form.id))")
            let refusal = try await problem {
                _ = try await stale.find(mine.id, code: meeting.form.code, receipt: mine.receipt)
            }
            #expect(refusal?.code == .formFinal)
            #expect(try await Self.correct(mine, of: meeting, through: stale) == .formFinal)
            #expect(try await Self.withdraw(mine, of: meeting, through: stale) == .formFinal)
        }
    }

    /// The response to a withdrawal may be lost. When the author repeats the request, the form may be closed or final.
    @Test(arguments: [anonymous, #""anonymous": false"#])
    func withdrawalCanBeRepeatedInEveryState(settings: String) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: settings)
            let submissions = fixture.store.submissions
            let mine = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            for step in ["open", "closed", "finished"] {
                if step == "closed" {
                    _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                } else if step == "finished" {
                    _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
                }
                #expect(try await Self.withdraw(mine, of: meeting, through: submissions) == nil, "\(step)")
                #expect(try await Self.correct(mine, of: meeting, through: submissions) == .withdrawn, "\(step)")
            }
        }
    }

    @Test func changesThatWaitWhileTheMeetingMovesToTheTrashAreNotFound() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let submissions = fixture.store.submissions
            let kept = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let withdrawn = try await fixture.submit(#"{"pace": 5}"#, to: meeting)
            #expect(try await Self.withdraw(withdrawn, of: meeting, through: submissions) == nil)
            let (correction, withdrawal) = try await Self.whileChanging(
                meeting, in: fixture, untilBlocked: 2, finalises: false
            ) {
                (
                    Task { try await Self.correct(kept, of: meeting, through: submissions) },
                    Task { try await Self.withdraw(withdrawn, of: meeting, through: submissions) }
                )
            }
            #expect(try await correction.value == .notFound)
            #expect(try await withdrawal.value == .notFound)
        }
    }
}
