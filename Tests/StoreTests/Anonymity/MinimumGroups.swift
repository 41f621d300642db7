import Domain
import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

@testable import Store

@Suite struct MinimumGroups {
    private static let settings = #""anonymous": true, "minimumGroup": 3"#

    private static func shown(_ meeting: Meeting, _ fixture: TestStore) async throws -> (
        submissions: Int, shown: Int?, data: [Int]
    ) {
        let results = try await fixture.store.results.read(meeting.form.id)
        return (results.submissions, results.withheld?.shown, results.questions[0].datasets[0].data)
    }

    @Test func countsAreReleasedInWholeGroups() async throws {
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

    @Test func closeReleasesTheRestIfItIsAtLeastOneGroup() async throws {
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

    @Test func reopeningReleasesOnlyWholeGroups() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: Self.settings)
            for _ in 0..<4 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            var shownCounts: Set<Int> = []
            for _ in 0..<4 {
                _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
                shownCounts.insert(try await Self.shown(meeting, fixture).data.reduce(0, +))
                _ = try await fixture.store.forms.reopen(
                    meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
                shownCounts.insert(try await Self.shown(meeting, fixture).data.reduce(0, +))
                _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting)
                shownCounts.insert(try await Self.shown(meeting, fixture).data.reduce(0, +))
            }
            let steps = shownCounts.sorted()
            #expect(steps.count > 1)
            for (earlier, later) in zip(steps, steps.dropFirst()) { #expect(later - earlier >= 3) }
        }
    }

    @Test func anonymousSubmissionsStoreNoTimeOfDay() async throws {
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
            let (hasNoTime, isTimelineByDay, isUpdateByDay) =
                try times.first?.decode(Bool.self, Bool.self, Bool.self) ?? (false, false, false)
            #expect(hasNoTime && isTimelineByDay && isUpdateByDay)
        }
    }

    @Test func textsOfAnAnonymousFormAreWithheldUntilTheClose() async throws {
        try await TestStore.run { fixture in
            let open = try await fixture.openMeeting(settings: Self.settings)
            for number in 0..<3 { _ = try await fixture.submit(#"{"better": "Text \#(number)"}"#, to: open) }
            let early = try await problem {
                _ = try await fixture.store.texts.list(
                    of: open, question: "better", containing: nil, after: nil, limit: 10)
            }
            #expect(early?.code == .resultsWithheld)
            _ = try await fixture.store.forms.close(meetingID: open.id, by: fixture.host.account.id)
            let closed = try await fixture.store.meetings.require(open.id, by: fixture.host)
            let texts = try await fixture.store.texts.list(
                of: closed, question: "better", containing: nil, after: nil, limit: 10
            ).items
            #expect(Set(texts.map(\.text)) == ["Text 0", "Text 1", "Text 2"])
            #expect(texts.allSatisfy { $0.submittedAt == nil })
        }
    }

    private static func closes(inHours offset: Double) -> String {
        "\"closes\": \"\(Date().addingTimeInterval(offset * 3600).formatted(.iso8601))\", \"graceMinutes\": 0"
    }

    @Test func closingAndReopeningByAnEditReleasesOnlyWholeGroups() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: Self.settings)
            for _ in 0..<4 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            var shownCounts: Set<Int> = []
            for _ in 0..<4 {
                for offset in [-1.0, 1] {
                    try await fixture.edit(
                        meeting, settings: "\(Self.settings), \(Self.closes(inHours: offset))",
                        questions: TestStore.questions)
                    shownCounts.insert(try await Self.shown(meeting, fixture).data.reduce(0, +))
                }
                _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting)
                shownCounts.insert(try await Self.shown(meeting, fixture).data.reduce(0, +))
            }
            let steps = shownCounts.sorted()
            #expect(steps.count > 1)
            for (earlier, later) in zip(steps, steps.dropFirst()) { #expect(later - earlier >= 3) }
        }
    }

    @Test func rowsImportedAfterATimedCloseAreReleasedInGroups() async throws {
        try await TestStore.run { fixture in
            // Forms with names may have a minimum group too.
            let settings = #""minimumGroup": 3"#
            let meeting = try await fixture.openMeeting(settings: settings)
            for _ in 0..<4 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            try await fixture.edit(
                meeting, settings: "\(settings), \(Self.closes(inHours: -1))", questions: TestStore.questions)
            let writer = try BatchWriter(
                configuration: PostgresConfiguration(url: fixture.database.url), logger: TestStore.silentLogger)
            var seen = [try await Self.shown(meeting, fixture).data.reduce(0, +)]
            for number in UInt8(1)...4 {
                _ = await writer.write([Offer.paced(meeting, number)], imported: true)
                seen.append(try await Self.shown(meeting, fixture).data.reduce(0, +))
            }
            await writer.close()
            #expect(seen == [4, 4, 4, 7, 7])
        }
    }

    /// A meeting whose form showed all counts after its close and was then reopened, and the receipt of one submission.
    private static func reopenedMeeting(_ fixture: TestStore) async throws -> (Meeting, SubmissionReceipt) {
        let meeting = try await fixture.openMeeting(settings: settings)
        for _ in 0..<3 { _ = try await fixture.submit(#"{"pace": 4, "better": "before"}"#, to: meeting) }
        let mine = try await fixture.submit(#"{"pace": 4, "better": "before"}"#, to: meeting)
        _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
        #expect(try await shown(meeting, fixture).shown == nil)
        _ = try await fixture.store.forms.reopen(meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
        return (meeting, mine)
    }

    private static func expectNothingNewIsReleased(_ meeting: Meeting, _ fixture: TestStore) async throws {
        _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
        let (counted, shown, data) = try await shown(meeting, fixture)
        #expect(counted == 4 && shown == 4 && data == [0, 0, 0, 4, 0])
        let closed = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
        for query in [nil, "after"] {
            let refusal = try await problem {
                _ = try await fixture.store.texts.list(
                    of: closed, question: "better", containing: query, after: nil, limit: 10)
            }
            #expect(refusal?.code == .resultsWithheld)
        }
    }

    @Test func singleCorrectionIsWithheld() async throws {
        try await TestStore.run { fixture in
            let (meeting, mine) = try await Self.reopenedMeeting(fixture)
            _ = try await fixture.store.submissions.correct(
                mine.id, code: meeting.form.code, receipt: mine.receipt, version: nil,
                answers: JSONValue.parse(Array(#"{"pace": 1, "better": "after"}"#.utf8)))
            try await Self.expectNothingNewIsReleased(meeting, fixture)
            // With a full group of new submissions, all counts are released again.
            _ = try await fixture.store.forms.reopen(meetingID: meeting.id, closes: nil, by: fixture.host.account.id)
            for _ in 0..<3 { _ = try await fixture.submit(#"{"pace": 2}"#, to: meeting) }
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let (_, shown, data) = try await Self.shown(meeting, fixture)
            #expect(shown == nil && data == [1, 3, 0, 3, 0])
        }
    }

    @Test func withdrawalWithANewSubmissionIsWithheld() async throws {
        try await TestStore.run { fixture in
            let (meeting, mine) = try await Self.reopenedMeeting(fixture)
            try await fixture.store.submissions.withdraw(mine.id, code: meeting.form.code, receipt: mine.receipt)
            _ = try await fixture.submit(#"{"pace": 1, "better": "after"}"#, to: meeting)
            try await Self.expectNothingNewIsReleased(meeting, fixture)
        }
    }

    @Test func newMinimumGroupStartsFromTheShownCounts() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting()
            for _ in 0..<4 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            try await fixture.edit(meeting, settings: #""minimumGroup": 3"#, questions: TestStore.questions)
            var seen: [Int] = []
            for number in 0..<7 {
                if number > 0 { _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting) }
                seen.append(try await Self.shown(meeting, fixture).data.reduce(0, +))
            }
            #expect(seen == [4, 4, 4, 4, 4, 4, 7])
        }
    }

    @Test func raisedMinimumAppliesToThePendingStep() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(settings: Self.settings)
            for _ in 0..<3 { _ = try await fixture.submit(#"{"pace": 4}"#, to: meeting) }
            let raised = #""anonymous": true, "minimumGroup": 5"#
            try await fixture.edit(meeting, settings: raised, questions: TestStore.questions)
            var seen: Set<Int> = []
            for _ in 0..<15 {
                _ = try await fixture.submit(#"{"pace": 1}"#, to: meeting)
                seen.insert(try await Self.shown(meeting, fixture).data.reduce(0, +))
            }
            let steps = seen.sorted()
            #expect(steps.count > 1)
            for (earlier, later) in zip(steps, steps.dropFirst()) { #expect(later - earlier >= 5) }
        }
    }
}
