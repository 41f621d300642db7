import Domain
import Foundation
import Logging
import Postgres
import TestSupport
import Testing

@testable import Store

/// The deletion of answers at the end of their retention.
@Suite(.timeLimit(.minutes(15))) struct AnswerDeletion {
    @Test func answersAreDeletedAndCountsStay() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            let kept = try await fixture.closedMeeting()
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            let before = try await fixture.store.results.read(meeting.form.id)
            for days in [29.9, 0.2] {
                #expect(try await fixture.rows(of: meeting) == 3, "\(days)")
                try await fixture.ageClose(of: meeting, days: days)
                try await fixture.store.sweep()
            }
            #expect(try await fixture.rows(of: meeting) == 0)
            #expect(try await fixture.rows(of: kept) == 3, "its series has no retention")
            let after = try await fixture.store.results.read(meeting.form.id)
            #expect(after.submissions == 3 && after.questions == before.questions)
            #expect(after.revision > before.revision, "the new revision invalidates cached results")
            let form = try await fixture.store.forms.require(meetingID: meeting.id)
            #expect(form.state == .final && form.retention.deletedAt != nil && form.retention.deletesAt == nil)
            let salts = try await fixture.store.pool.query("SELECT 1 FROM form_salt WHERE form_id = \(meeting.form.id)")
            #expect(salts.isEmpty)
            #expect(try await fixture.audited("answers.delete") == [#"{"automatic": true, "submissions": 3}"#])
            let report = try await fixture.store.verification.run { _, _ in }
            #expect(report.differences.isEmpty && report.forms == 2)
            let again = try await fixture.store.answerExpiry.run()
            #expect(again == 0)
        }
    }

    @Test func retentionCountsFromTheLastClose() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            try await fixture.ageClose(of: meeting, days: 29)
            let (forms, accountID) = (fixture.store.forms, fixture.host.account.id)
            _ = try await forms.reopen(meetingID: meeting.id, closes: nil, by: accountID)
            #expect(try await fixture.retention(of: meeting) == Form.Retention(days: 30))
            _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting)
            let closed = try await forms.close(meetingID: meeting.id, by: accountID)
            let deletesAt = try #require(closed.retention.deletesAt)
            #expect(abs(deletesAt.timeIntervalSince(closed.now) - 30 * 86_400) < 60)
            try await fixture.ageClose(of: meeting, days: 29)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 4)
            try await fixture.ageClose(of: meeting, days: 1.1)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 0)
            let refusal = try await problem {
                _ = try await forms.reopen(meetingID: meeting.id, closes: nil, by: accountID)
            }
            #expect(refusal?.code == .formFinal, "nobody may answer a second time")
        }
    }

    /// The form is not in the state `closed` until the clock or a host acts, and becomes final a week later.
    @Test(arguments: [false, true]) func retentionCountsFromTheScheduledClose(anonymous: Bool) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: anonymous ? #""anonymous": true"# : nil)
            for pace in 1...3 { _ = try await fixture.submit("{\"pace\": \(pace)}", to: meeting) }
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            try await fixture.store.pool.execute(
                "UPDATE form_state SET closes_at = now() - interval '25 days' WHERE form_id = \(meeting.form.id)")
            let row = try await fixture.store.pool.query(
                """
                SELECT (closes_at AT TIME ZONE 'UTC' + make_interval(mins => grace_minutes)) AT TIME ZONE 'UTC'
                FROM form_state WHERE form_id = \(meeting.form.id)
                """
            ).single()
            let end = try row.decode(Date.self).addingTimeInterval(30 * 86_400)
            func isEnd(_ date: Date?) -> Bool { date.map { abs($0.timeIntervalSince(end)) < 0.001 } ?? false }
            #expect(isEnd(try await fixture.retention(of: meeting).deletesAt))
            try await fixture.store.clock.tick()
            await fixture.store.finalising.waitUntilIdle()
            if !anonymous {
                _ = try await fixture.store.forms.finish(meetingID: meeting.id, by: fixture.host.account.id)
            }
            let form = try await fixture.store.forms.require(meetingID: meeting.id)
            #expect(form.life.isFinished && isEnd(form.retention.deletesAt), "\(form.life)")
            try await fixture.ageClose(of: meeting, days: 5.1)
            try await fixture.store.sweep()
            // Another session may have delayed the last step of finalising.
            let isFinal = try await fixture.store.forms.require(meetingID: meeting.id).state == .final
            #expect(try await fixture.rows(of: meeting) == (isFinal ? 0 : 3))
        }
    }

    @Test func answersOfAnAnonymousFormAreKeptUntilItIsFinal() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting(settings: #""anonymous": true"#)
            let results = try await fixture.store.results.read(meeting.form.id)
            try await fixture.setRetention(7, of: meeting)
            try await fixture.ageRetentions(days: 8)
            try await fixture.ageClose(of: meeting, days: 20)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 3)
            let deadline = ContinuousClock.now + .seconds(60)
            while try await fixture.store.forms.require(meetingID: meeting.id).state != .final, .now < deadline {
                try await fixture.store.clock.tick()
                await fixture.store.finalising.waitUntilIdle()
            }
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 0)
            let after = try await fixture.store.results.read(meeting.form.id)
            #expect(after.submissions == 3 && after.questions == results.questions)
        }
    }

    @Test func answersInTheTrashAndWithdrawnAnswersAreDeletedToo() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let mine = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            _ = try await fixture.submit(#"{"pace": 5}"#, to: meeting)
            try await fixture.store.submissions.withdraw(mine.id, code: meeting.form.code, receipt: mine.receipt)
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            try await fixture.ageClose(of: meeting, days: 31)
            try await fixture.store.meetings.trash(meeting.id, by: fixture.host)
            #expect(try await fixture.rows(of: meeting) == 2)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 0)
            let restored = try await fixture.store.meetings.restore(meeting.id, by: fixture.host)
            #expect(restored.form.submissions == 1 && restored.form.answersExpiredAt != nil)
        }
    }

    /// The rows of an older backup come back together with the earlier state of the form.
    @Test func answersOfARestoredBackupAreDeletedAgain() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            let pool = fixture.store.pool
            let state = try await pool.query("SELECT to_jsonb(t)::text FROM form_state t").single().decode(String.self)
            let answers = try await pool.query("SELECT to_jsonb(t)::text FROM submission t").map { row in
                try row.decode(String.self)
            }
            try await fixture.ageClose(of: meeting, days: 31)
            try await fixture.store.sweep()
            try await pool.execute("DELETE FROM form_state")
            try await pool.execute(
                "INSERT INTO form_state SELECT * FROM jsonb_populate_record(NULL::form_state, \(state)::jsonb)")
            for answer in answers {
                try await pool.execute(
                    "INSERT INTO submission SELECT * FROM jsonb_populate_record(NULL::submission, \(answer)::jsonb)")
            }
            try await fixture.ageClose(of: meeting, days: 31)
            #expect(try await fixture.rows(of: meeting) == 3)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 0)
            #expect(try await fixture.store.results.read(meeting.form.id).submissions == 3)
        }
    }

    /// Each transaction deletes a limited number of answers, and the form is never partly readable.
    @Test func interruptedDeletionIsContinued() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            try await fixture.ageClose(of: meeting, days: 31)
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.script("BEGIN")
            let last = try await holder.query("SELECT id FROM submission ORDER BY id DESC LIMIT 1").single()
                .decode(UUID.self)
            try await holder.query(
                "SELECT 1 FROM submission WHERE form_id = \(meeting.form.id) AND id = \(last) FOR UPDATE")
            let store = fixture.store
            let expiry = AnswerExpiry(pool: store.pool, cache: store.cache, logger: store.logger, batch: 2)
            let error = await #expect(throws: PostgresError.self) { try await expiry.run() }
            #expect(error?.sqlState == "55P03", "the last row is locked for too long")
            #expect(try await fixture.rows(of: meeting) == 1)
            let current = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
            #expect(current.form.answersExpiredAt != nil)
            let texts = try await problem {
                _ = try await fixture.store.texts.list(of: current, question: "better", limit: 5)
            }
            #expect(texts?.code == .answersDeleted)
            #expect(try await fixture.store.texts.newest(of: current, questions: ["better"], limit: 5).isEmpty)
            #expect(try await fixture.store.verification.run { _, _ in }.differences.isEmpty)
            #expect(
                try await OverdueDeletions.read(url: fixture.database.url) == nil, "the deletion is not overdue yet")
            let late = try await OverdueDeletions.read(url: fixture.database.url, after: -60)
            #expect(late == OverdueDeletions(forms: 1, trashed: 0))
            try await holder.script("ROLLBACK")
            await holder.close()
            #expect(try await expiry.run() == 1)
            #expect(try await fixture.rows(of: meeting) == 0)
            #expect(try await OverdueDeletions.read(url: fixture.database.url, after: -60) == nil)
            #expect(try await fixture.audited("answers.delete").count == 1)
        }
    }

    @Test func onlyOneInstanceDeletesAtATime() async throws {
        try await TestStore.run { fixture in
            var meetings: [Meeting] = []
            for _ in 0..<4 { meetings.append(try await fixture.closedMeeting()) }
            for meeting in meetings { try await fixture.setRetention(30, of: meeting) }
            try await fixture.ageRetentions(days: 8)
            for meeting in meetings { try await fixture.ageClose(of: meeting, days: 31) }
            let holder = try await Connection.connect(PostgresConfiguration(url: fixture.database.url))
            try await holder.query("SELECT pg_advisory_lock(hashtext('afterword/retention'))")
            #expect(try await fixture.store.answerExpiry.run() == 0, "another instance is deleting")
            await holder.close()
            let second = try await fixture.secondStore()
            async let mine = fixture.store.answerExpiry.run()
            async let others = second.answerExpiry.run()
            #expect(try await mine + others <= 4)
            _ = try await fixture.store.answerExpiry.run()
            for meeting in meetings { #expect(try await fixture.rows(of: meeting) == 0) }
            #expect(try await fixture.audited("answers.delete").count == 4)
            await second.close()
        }
    }

    @Test func deletionIsLoggedWithoutContents() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            try await fixture.ageClose(of: meeting, days: 31)
            let tape = LogTape()
            let store = try await Store.open(
                .init(url: fixture.database.url), keys: fixture.keys, logger: tape.logger(.notice))
            try await store.sweep()
            let line = try #require(tape.lines.first { $0.contains("end of their retention") })
            #expect(line.contains(meeting.form.id.uuidString) && line.contains("rows=3") && !line.contains("text"))
            await store.close()
        }
    }
}
