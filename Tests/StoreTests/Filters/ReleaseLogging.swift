import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// The release log of an open anonymous form, and its use until the form is final.
@Suite(.timeLimit(.minutes(15))) struct ReleaseLogging {
    private static let settings = #""anonymous": true, "minimumGroup": 3"#
    private static let questions = #"[{"key": "pace", "kind": "rating", "title": "P"}]"#

    private static func meeting(_ fixture: TestStore) async throws -> Meeting {
        try await fixture.openMeeting(questions, settings: settings)
    }

    private static func close(_ meeting: Meeting, _ fixture: TestStore) async throws {
        _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
    }

    /// The problem with which a filter is refused; nil if it is allowed.
    private static func refusal(_ meeting: Meeting, _ store: Store) async throws -> ProblemCode? {
        try await problem { _ = try await store.filters.results(of: meeting, where: ["pace:1"]) }?.code
    }

    private static func lines(_ statement: Statement, _ fixture: TestStore) async throws -> [String] {
        try await fixture.store.pool.query(statement).map { row -> String in try row.decode(String.self) }
    }

    private static func recordedReleases(_ meeting: Meeting, _ fixture: TestStore) async throws -> [String] {
        try await lines(
            """
            SELECT question_set || ':' || submissions FROM seen_state WHERE form_id = \(meeting.form.id)
            ORDER BY question_set, submissions
            """, fixture)
    }

    /// The first three answers are 1, and their counts are released. A filter for 1 counts four at the end, so the
    /// difference would isolate one person.
    @Test func formWithReleasesIsFilteredOnlyIfThatIsolatesNobody() async throws {
        try await TestStore.run { fixture in
            let (watched, unseen) = (try await Self.meeting(fixture), try await Self.meeting(fixture))
            for meeting in [watched, unseen] {
                try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
                if meeting.id == watched.id { _ = try await fixture.store.results.read(meeting.form.id) }
                try await fixture.submitPaces([1, 2, 2], to: meeting)
                try await Self.close(meeting, fixture)
            }
            #expect(try await Self.recordedReleases(watched, fixture) == ["1:3"])
            #expect(try await Self.refusal(watched, fixture.store) == .groupTooSmall)
            #expect(try await Self.refusal(unseen, fixture.store) == nil)
            // Reads after the close change nothing.
            for meeting in [watched, unseen] { _ = try await fixture.store.results.read(meeting.form.id) }
            #expect(try await Self.recordedReleases(unseen, fixture) == [])
            #expect(try await Self.refusal(unseen, fixture.store) == nil)
        }
    }

    @Test func onlyRelevantReleasesAreRecorded() async throws {
        try await TestStore.run { fixture in
            let named = try await fixture.openMeeting(Self.questions, settings: #""minimumGroup": 3"#)
            let (few, again) = (try await Self.meeting(fixture), try await Self.meeting(fixture))
            try await fixture.submitPaces([1, 1, 1, 1, 1, 1], to: named)
            try await fixture.submitPaces([1, 1, 1, 1, 1], to: few)
            try await fixture.submitPaces([1, 1, 1], to: again)
            try await Self.close(again, fixture)
            _ = try await fixture.store.forms.reopen(meetingID: again.id, closes: nil, by: fixture.host.account.id)
            try await fixture.submitPaces([1, 1, 1, 1, 1, 1], to: again)
            for meeting in [named, few, again] { _ = try await fixture.store.results.read(meeting.form.id) }
            #expect(try await Self.lines("SELECT form_id::text FROM seen_state", fixture) == [])
            let steps = try await Self.lines(
                "SELECT DISTINCT form_id::text FROM submission WHERE step IS NOT NULL ORDER BY 1", fixture)
            #expect(Set(steps) == [few.form.id.uuidString.lowercased(), again.form.id.uuidString.lowercased()])
        }
    }

    /// Released counts are stored as one row, however often they are read and whichever instance reads them.
    @Test func releasesAreRecordedOnceByAllInstances() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            let other = try await fixture.secondStore()
            for turn in 0..<5 {
                try await fixture.submitPaces([1, 2, 1], to: meeting)
                for store in turn % 2 == 0 ? [fixture.store, other, fixture.store] : [other] {
                    _ = try await store.results.read(meeting.form.id)
                }
            }
            #expect(try await Self.recordedReleases(meeting, fixture) == ["1:3", "1:6", "1:9", "1:12"])
            try await Self.close(meeting, fixture)
            let refusals = [
                try await Self.refusal(meeting, fixture.store), try await Self.refusal(meeting, other),
            ]
            #expect(refusals == [nil, nil], "every release contains ones and twos")
            await other.close()
        }
    }

    /// Without the repetition, a release that was read before a close would be recorded after the close.
    @Test func readsOvertakenByACloseAreRepeated() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            try await fixture.submitPaces([1, 1, 1, 2, 2, 2, 1, 2, 2], to: meeting)
            let closing = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await closing.script("BEGIN")
            try await closing.query(
                "UPDATE form_state SET state = 'closed', closed_at = now() WHERE form_id = \(meeting.form.id)")
            try await closing.query("SELECT advance_release(\(meeting.form.id), true)")
            async let late = fixture.store.results.read(meeting.form.id)
            try await fixture.database.waitUntilBlocked(1)
            try await closing.script("COMMIT")
            await closing.close()
            let read = try await late
            #expect(read.visible == 9, "the read is repeated after the close")
            #expect(try await Self.recordedReleases(meeting, fixture) == [])
            #expect(try await Self.refusal(meeting, fixture.store) == nil)
        }
    }

    @Test func closeWaitsForReadsThatAreBeingRecorded() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
            let reading = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await reading.script("BEGIN")
            let isRecorded = try await reading.query("SELECT record_release(\(meeting.form.id), ARRAY[1], ARRAY[3])")
            #expect(try isRecorded.single().decode(Bool.self))
            async let closing: Void = Self.close(meeting, fixture)
            try await fixture.database.waitUntilBlocked(1)
            try await reading.script("COMMIT")
            await reading.close()
            try await closing
            #expect(try await Self.recordedReleases(meeting, fixture) == ["1:3"])
            let tooLate = try await fixture.store.pool.query(
                "SELECT record_release(\(meeting.form.id), ARRAY[1], ARRAY[6])")
            #expect(try tooLate.single().decode(Bool.self) == false)
        }
    }

    @Test func submissionsDoNotWaitForReadsThatAreBeingRecorded() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
            let reading = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await reading.script("BEGIN")
            try await reading.query("SELECT record_release(\(meeting.form.id), ARRAY[1], ARRAY[3])")
            try await fixture.submitPaces([1, 2], to: meeting)
            try await reading.script("ROLLBACK")
            await reading.close()
        }
    }

    @Test func correctionsAndWithdrawalsRecordTheirSteps() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            let own = try await fixture.submitPaces([1, 2, 3, 4], to: meeting)
            let code = meeting.form.code
            func correct(_ number: Int, version: Int? = nil) async throws {
                _ = try await fixture.store.submissions.correct(
                    own[number].id, code: code, receipt: own[number].receipt, version: version,
                    answers: .object([.init("pace", .number("5"))]))
            }
            try await correct(3)
            try await correct(0)
            try await fixture.edit(
                meeting, settings: Self.settings,
                questions: Self.questions.dropLast() + #", {"key": "more", "kind": "rating", "title": "M"}]"#)
            try await fixture.submitPaces([1, 1, 1], to: meeting)
            try await correct(1, version: 2)
            try await fixture.store.submissions.withdraw(own[2].id, code: code, receipt: own[2].receipt)
            try await correct(1, version: 1)
            let rows = try await Self.lines(
                """
                SELECT concat_ws(' ', step, former, version, withdrawn) FROM submission
                WHERE id = ANY (\(own.map(\.id))) ORDER BY array_position(\(own.map(\.id)), id)
                """, fixture)
            // Each row: the step, the former pairs of question set and step, the version, and whether the submission is
            // withdrawn.
            // The fourth submission arrived and changed while three were pending, so it has no former step. In the
            // second question set, three are pending as well.
            #expect(rows == ["3 {1,0} 1 f", "3 {1,0,1,3,2,3} 1 f", "3 {1,0} 1 t", "3 1 f"])
        }
    }

    /// The choice of filters remains after finalising, but the steps are deleted.
    @Test func choiceOfFiltersRemainsAfterFinalising() async throws {
        try await TestStore.run { fixture in
            let (refused, allowed) = (try await Self.meeting(fixture), try await Self.meeting(fixture))
            for (meeting, last) in [(refused, [1, 2, 2]), (allowed, [1, 1, 1, 2, 2, 2])] {
                let receipts = try await fixture.submitPaces([1, 1, 1, 2, 2, 2, 1], to: meeting)
                _ = try await fixture.store.results.read(meeting.form.id)
                try await fixture.store.submissions.withdraw(
                    receipts[6].id, code: meeting.form.code, receipt: receipts[6].receipt)
                try await fixture.submitPaces(last, to: meeting)
                _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            }
            for turn in 0..<2 {
                #expect(try await Self.refusal(refused, fixture.store) == .groupTooSmall, "\(turn)")
                #expect(try await Self.refusal(allowed, fixture.store) == nil, "\(turn)")
                let deadline = ContinuousClock.now + .seconds(60)
                while .now < deadline,
                    try await Self.lines("SELECT state FROM form_state WHERE state = 'finalising'", fixture) != []
                {
                    fixture.store.finalising.resume(ignoresPause: true)
                    await fixture.store.finalising.waitUntilIdle()
                }
            }
            #expect(try await Self.lines("SELECT state FROM form_state", fixture) == ["final", "final"])
            let chosen = try await Self.lines(
                "SELECT filterable::text FROM form_state ORDER BY form_id = \(allowed.form.id)", fixture)
            #expect(chosen == ["{}", "{pace}"])
            let left = try await Self.lines(
                """
                SELECT id::text FROM submission WHERE step IS NOT NULL OR former IS NOT NULL
                UNION ALL SELECT form_id::text FROM seen_state
                """, fixture)
            #expect(left == [])
        }
    }

    /// If answers are unlinked without a choice of filters, nothing can be filtered.
    @Test func missingChoicePreventsFilters() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
            _ = try await fixture.store.results.read(meeting.form.id)
            _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            #expect(try await Self.refusal(meeting, fixture.store) == nil)
            try await fixture.store.pool.query("SELECT unlink_submissions(\(meeting.form.id))")
            try await fixture.store.pool.execute(
                "UPDATE form_state SET revision = revision + 1 WHERE form_id = \(meeting.form.id)")
            #expect(try await Self.refusal(meeting, fixture.store) == .groupTooSmall)
        }
    }

    /// The counts were released before all submissions were withdrawn.
    @Test func reopeningAccountsForWithdrawnSubmissions() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            let receipts = try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
            for receipt in receipts {
                try await fixture.store.submissions.withdraw(
                    receipt.id, code: meeting.form.code, receipt: receipt.receipt)
            }
            try await Self.close(meeting, fixture)
            _ = try await fixture.store.forms.reopen(meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
            let state = try await Self.lines(
                "SELECT concat_ws(' ', reopened, settled) FROM form_state WHERE form_id = \(meeting.form.id)", fixture)
            #expect(state == ["t f"])
        }
    }

    @Test func countsThatCannotBeRecordedAreNotShown() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
            try await fixture.store.pool.execute("DELETE FROM form_salt WHERE form_id = \(meeting.form.id)")
            let refused = try await problem { _ = try await fixture.store.results.read(meeting.form.id) }
            #expect(refused?.code == .overloaded && refused?.retryAfter == 1)
        }
    }

    /// An answer without a known step may have arrived at any time.
    @Test func unknownStepPreventsFilters() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            let receipts = try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
            _ = try await fixture.store.results.read(meeting.form.id)
            try await fixture.store.pool.execute("UPDATE submission SET step = NULL WHERE id = \(receipts[0].id)")
            try await Self.close(meeting, fixture)
            #expect(try await Self.refusal(meeting, fixture.store) == .groupTooSmall)
        }
    }

    /// A sample of a large form is drawn too late to be compared with the release log.
    @Test func sampleOfAFormWithReleasesIsRefused() async throws {
        try await TestStore.run { fixture in
            let (watched, unseen) = (try await Self.meeting(fixture), try await Self.meeting(fixture))
            for meeting in [watched, unseen] {
                try await fixture.submitPaces((0..<60).map { $0 % 2 + 1 }, to: meeting)
                if meeting.id == watched.id { _ = try await fixture.store.results.read(meeting.form.id) }
                try await Self.close(meeting, fixture)
                try await fixture.store.pool.execute(
                    "UPDATE form_state SET state = 'final', revision = revision + 1 WHERE form_id = \(meeting.form.id)")
            }
            var filters = fixture.store.filters
            filters.budget = 200
            let sampling = filters
            let refused = try await problem { _ = try await sampling.results(of: watched, where: ["pace:1"]) }
            #expect(refused?.code == .groupTooSmall)
            #expect(try await sampling.results(of: unseen, where: ["pace:1"]).sampleSize.map { $0 < 60 } == true)
        }
    }

    @Test func formBecomesFinalEvenIfTheChoiceOfFiltersFails() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.meeting(fixture)
            try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
            _ = try await fixture.store.results.read(meeting.form.id)
            _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            try await fixture.store.pool.execute("UPDATE question SET definition = '{}'")
            let deadline = ContinuousClock.now + .seconds(60)
            var state = [""]
            while .now < deadline, state != ["final {}"] {
                fixture.store.finalising.resume(ignoresPause: true)
                await fixture.store.finalising.waitUntilIdle()
                state = try await Self.lines("SELECT concat_ws(' ', state, filterable) FROM form_state", fixture)
            }
            #expect(state == ["final {}"])
        }
    }
}
