import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// Which retention applies to a form after the retention of its series or of the service was changed.
@Suite(.timeLimit(.minutes(15))) struct ChangedRetention {
    @Test func shorterRetentionDeletesNothingInItsFirstWeek() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            try await fixture.ageClose(of: meeting, days: 400)
            try await fixture.setRetention(30, of: meeting)
            let deletesAt = try #require(try await fixture.retention(of: meeting).deletesAt)
            #expect(abs(deletesAt.timeIntervalSinceNow - 7 * 86_400) < 60)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 3)
            try await fixture.ageRetentions(days: 6)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 3)
            try await fixture.ageRetentions(days: 1)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: meeting) == 0)
        }
    }

    @Test func mistakenRetentionOfAClosedFormCanBeCorrected() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            try await fixture.setRetention(30, of: meeting)
            try await fixture.setRetention(365, of: meeting)
            #expect(try await fixture.retention(of: meeting).days == 365)
            try await fixture.setRetention(nil, of: meeting)
            #expect(try await fixture.retention(of: meeting) == Form.Retention())
            #expect(
                try await fixture.audited("series.retention") == [
                    #"{"days": 30}"#, #"{"days": 365}"#, #"{"days": "none"}"#,
                ])
        }
    }

    /// The form has shown participants when the answers would be deleted.
    @Test func longerRetentionDoesNotApplyToFormsThatAcceptedAnswers() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            try await fixture.setRetention(60, of: meeting)
            _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            let shown = try await fixture.store.forms.find(code: meeting.form.code)
            #expect(shown.retention == Form.Retention(days: 60))
            try await fixture.setRetention(90, of: meeting)
            try await fixture.setRetention(nil, of: meeting)
            #expect(try await fixture.retention(of: meeting).days == 60)
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            try await fixture.ageClose(of: meeting, days: 61)
            try await fixture.store.sweep()
            #expect(
                try await fixture.rows(of: meeting) == 0, "participants were shown this retention, so no week is added")
        }
    }

    @Test func draftGetsTheNewRetention() async throws {
        try await TestStore.run { fixture in
            let draft = try await fixture.meeting(TestStore.questions)
            try await fixture.setRetention(60, of: draft)
            try await fixture.setRetention(90, of: draft)
            #expect(try await fixture.retention(of: draft).days == 90)
        }
    }

    @Test func limitOfTheServiceAppliesToEverySeries() async throws {
        try await TestStore.run { fixture in
            let (open, closed) = (try await fixture.openMeeting(), try await fixture.closedMeeting())
            let longer = try await fixture.openMeeting()
            try await fixture.setRetention(365, of: longer)
            #expect(try await fixture.store.apply(RetentionSettings(limitDays: 100)))
            for meeting in [open, closed, longer] { #expect(try await fixture.retention(of: meeting).days == 100) }
            let refusal = try await problem { try await fixture.setRetention(101, of: open) }
            #expect(refusal?.faults.map(\.code) == ["out-of-range"] && refusal?.faults[0].pointer == "/retentionDays")
            try await fixture.setRetention(100, of: open)
            let series = try await fixture.store.series.require(longer.seriesID, by: fixture.host)
            #expect(series.retentionDays == 365 && series.effectiveRetentionDays == 100)
            try await fixture.ageClose(of: closed, days: 400)
            try await fixture.store.sweep()
            #expect(try await fixture.rows(of: closed) == 3, "the limit was set just now")
            #expect(try await fixture.store.apply(RetentionSettings()))
            #expect(try await fixture.retention(of: closed).days == nil, "the form has never shown the limit")
            #expect(try await fixture.retention(of: longer).days == 100, "it accepted answers under the limit")
            #expect(try await !fixture.store.apply(RetentionSettings()))
        }
    }

    @Test func onlyOwnersAndAdminsMaySetTheRetention() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            let other = try await TestStore.account("o@example.org", "O", .host, in: fixture.store)
            let stranger = try await problem { try await fixture.setRetention(30, of: meeting, by: other) }
            #expect(stranger?.code == .notFound)
            try await fixture.store.pool.execute(
                """
                INSERT INTO series_host (series_id, account_id, role)
                VALUES (\(meeting.seriesID), \(other.account.id), 'editor')
                """)
            let editor = try await problem { try await fixture.setRetention(30, of: meeting, by: other) }
            #expect(editor?.code == .forbidden)
            try await fixture.setRetention(30, of: meeting, by: fixture.admin)
        }
    }

    /// `verify` cannot count the answers again, but notices rows and counts that cannot be right.
    @Test func verificationDetectsImpossibleRowsAndCounts() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.closedMeeting()
            try await fixture.setRetention(30, of: meeting)
            try await fixture.ageRetentions(days: 8)
            try await fixture.ageClose(of: meeting, days: 31)
            try await fixture.store.sweep()
            let (pool, formID) = (fixture.store.pool, meeting.form.id)
            try await pool.execute(
                """
                INSERT INTO submission (form_id, id, submitted_on, version, answers)
                VALUES (\(formID), gen_random_uuid(), current_date, 1, '{}')
                """)
            try await pool.execute("UPDATE form_state SET submissions = 4 WHERE form_id = \(formID)")
            let report = try await fixture.store.verification.run(repair: true) { _, _ in }
            #expect(report.repaired == 0)
            let differences = report.differences.map { "\($0.kind) \($0.stored) \($0.counted)" }
            #expect(differences.sorted() == ["expired 1 0", "submissions 4 3"])
            try await pool.execute("DELETE FROM submission WHERE form_id = \(formID)")
            try await pool.execute("UPDATE form_state SET submissions = 3 WHERE form_id = \(formID)")
        }
    }
}
