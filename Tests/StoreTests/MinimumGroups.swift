import Domain
import Foundation
import Postgres
import Store
import TestSupport
import Testing

@Suite struct MinimumGroups {
    private static let settings = #""anonymous": true, "minimumGroup": 3"#

    private static func shown(_ meeting: Meeting, _ fixture: TestStore) async throws -> (Int, Int?, [Int]) {
        let results = try await fixture.store.results.read(meeting.form.id)
        return (results.submissions, results.withheld?.shown, results.questions[0].datasets[0].data)
    }

    @Test func whatIsShownRunsOneWholeGroupBehind() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: Self.settings)
            var seen: [Int] = []
            for number in 1...9 {
                _ = try await fixture.submit(#"{"pace": \#(number % 5 + 1)}"#, to: meeting)
                let (counted, shown, data) = try await Self.shown(meeting, fixture)
                #expect(counted == number)
                #expect(data.reduce(0, +) == shown)
                seen.append(shown ?? -1)
            }
            #expect(seen == [0, 0, 0, 0, 0, 3, 3, 3, 6])
        }
    }

    @Test func theCloseShowsTheRestIfItIsAWholeGroup() async throws {
        try await TestStore.run { fixture in
            for (count, expected) in [(2, 0), (4, 4), (6, 6), (7, 7), (8, 8)] {
                let meeting = try await fixture.openMeeting(settings: Self.settings)
                for _ in 0..<count { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
                _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                let (_, shown, data) = try await Self.shown(meeting, fixture)
                #expect(data.reduce(0, +) == expected, "\(count)")
                #expect(shown == (count == expected ? nil : expected))
            }
        }
    }

    @Test func reopeningNeverShowsFewerThanAGroupMore() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: Self.settings)
            for _ in 0..<4 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            var states: Set<Int> = []
            for _ in 0..<4 {
                _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                states.insert(try await Self.shown(meeting, fixture).2.reduce(0, +))
                _ = try await fixture.store.forms.reopen(
                    meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
                states.insert(try await Self.shown(meeting, fixture).2.reduce(0, +))
                _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting)
                states.insert(try await Self.shown(meeting, fixture).2.reduce(0, +))
            }
            let steps = states.sorted()
            #expect(steps.count > 1)
            for (earlier, later) in zip(steps, steps.dropFirst()) { #expect(later - earlier >= 3) }
        }
    }

    @Test func nothingOfAnAnonymousSubmissionTellsItsHour() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: Self.settings)
            let receipt = try await fixture.submit(#"{"pace": 4}"#, to: meeting)
            #expect(receipt.submittedAt.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400) == 0)
            let times = try await fixture.store.pool.query(
                """
                SELECT s.submitted_at IS NULL AND s.attendee_id IS NULL, date_trunc('day', t.at, 'UTC') = t.at,
                    date_trunc('day', f.updated_at, 'UTC') = f.updated_at
                FROM submission s JOIN timeline t ON t.form_id = s.form_id JOIN form_state f ON f.form_id = s.form_id
                """)
            let (noTime, day, stateDay) =
                try times.first?.decode(Bool.self, Bool.self, Bool.self) ?? (false, false, false)
            #expect(noTime && day && stateDay)
        }
    }

    @Test func textsOfAnAnonymousFormWaitForTheClose() async throws {
        try await TestStore.run { fixture in
            let open = try await fixture.openMeeting(settings: Self.settings)
            for number in 0..<3 { _ = try await fixture.submit(#"{"better": "Text \#(number)"}"#, to: open) }
            let early = try await problem {
                _ = try await fixture.store.results.texts(
                    of: open, question: "better", containing: nil, after: nil, limit: 10)
            }
            #expect(early?.code == .resultsWithheld)
            _ = try await fixture.store.forms.close(meetingID: open.id, by: fixture.host.account.id)
            let closed = try await fixture.store.meetings.require(open.id, by: fixture.host)
            let texts = try await fixture.store.results.texts(
                of: closed, question: "better", containing: nil, after: nil, limit: 10)
            #expect(Set(texts.map(\.text)) == ["Text 0", "Text 1", "Text 2"])
            #expect(texts.allSatisfy { $0.submissionID == nil && $0.submittedAt == nil })
        }
    }
}
