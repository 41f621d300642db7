import Domain
import Store
import TestSupport
import Testing

/// What a close of an anonymous form releases after withdrawals.
@Suite(.timeLimit(.minutes(5))) struct ReleasesAtTheClose {
    private static let settings = #""anonymous": true, "minimumGroup": 3"#
    private static let questions = #"[{"key": "pace", "kind": "rating", "title": "P"}]"#

    /// After a withdrawal, the close withholds counts only from a reader who could compare them with an earlier reading.
    @Test func closeReleasesWhatNoReaderCanCompare() async throws {
        try await TestStore.run { fixture in
            for (isRead, arrivalsAfterReading, withdrawnIndex, isSettled) in [
                // Submissions 0 to 2 are shown, and 3 to 5 are pending. Number 5, which is pending, is withdrawn.
                (false, 0, 5, true), (true, 0, 5, false), (true, 1, 5, true),
                // The same, but number 0, which is shown, is withdrawn.
                (true, 0, 0, false), (true, 1, 0, true),
            ] {
                let meeting = try await fixture.openMeeting(Self.questions, settings: Self.settings)
                let own = try await fixture.submitPaces([1, 1, 1, 2, 2, 2], to: meeting)
                if isRead { _ = try await fixture.store.results.read(meeting.form.id) }
                try await fixture.submitPaces([Int](repeating: 2, count: arrivalsAfterReading), to: meeting)
                try await fixture.store.submissions.withdraw(
                    own[withdrawnIndex].id, code: meeting.form.code, receipt: own[withdrawnIndex].receipt)
                _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                let results = try await fixture.store.results.read(meeting.form.id)
                let comment: Comment = "\(isRead) \(arrivalsAfterReading) \(withdrawnIndex)"
                #expect((results.withheld == nil) == isSettled, comment)
                #expect(results.visible == (isSettled ? 5 + arrivalsAfterReading : 3), comment)
            }
        }
    }

    /// If the last three submissions are withdrawn, the form is again in the state that was read.
    @Test func closeReleasesTheStateThatWasRead() async throws {
        try await TestStore.run { fixture in
            for (thirdWithdrawnIndex, isSettled) in [(8, true), (5, false)] {
                let meeting = try await fixture.openMeeting(Self.questions, settings: Self.settings)
                let own = try await fixture.submitPaces([1, 1, 1, 2, 2, 2, 2, 2, 2], to: meeting)
                let read = try await fixture.store.results.read(meeting.form.id)
                #expect(read.visible == 6)
                for index in [6, 7, thirdWithdrawnIndex] {
                    try await fixture.store.submissions.withdraw(
                        own[index].id, code: meeting.form.code, receipt: own[index].receipt)
                }
                _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                let results = try await fixture.store.results.read(meeting.form.id)
                #expect((results.withheld == nil) == isSettled && results.visible == 6, "\(thirdWithdrawnIndex)")
            }
        }
    }
}
