import Domain
import Foundation
import Store
import TestSupport
import Testing

/// Equal texts are one entry of a list, with their exact number.
@Suite(.timeLimit(.minutes(15))) struct GroupsOfEqualTexts {
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// Texts a minute apart; the last is the newest.
    private static func written(_ texts: [String?]) -> [WrittenText] {
        texts.enumerated().map { WrittenText(text: $1, at: start + Double($0) * 60) }
    }

    /// All pages of the grouped list.
    private static func walk(
        _ meeting: Meeting, in store: Store, containing search: String? = nil, hidden: Bool = false, limit: Int = 50
    ) async throws -> [TextGroup] {
        var (groups, cursor): ([TextGroup], String?) = ([], nil)
        repeat {
            let page = try await store.texts.grouped(
                of: meeting, question: "better", containing: search, filter: TextFilter(hidden: hidden), after: cursor,
                limit: limit)
            #expect(page.groups.count <= limit)
            groups += page.groups
            cursor = page.next
        } while cursor != nil
        return groups
    }

    private static func counts(_ groups: [TextGroup]) -> [String: Int] {
        Dictionary(groups.map { ($0.texts[0].text, $0.count) }, uniquingKeysWith: { first, _ in first })
    }

    @Test(arguments: [1, 2, 50]) func eachGroupIsListedOnceWithItsExactCount(limit: Int) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let same = (0..<19).map { ["nothing", " Nothing", "NOTHING\n", "nothing  "][$0 % 4] }
            try await fixture.write(
                Self.written(same.flatMap { [$0, nil] } + ["Nothing.", "more time", "More  time", "nothing"]),
                to: meeting)
            let groups = try await Self.walk(meeting, in: fixture.store, limit: limit)
            #expect(Self.counts(groups) == ["nothing": 20, "More  time": 2, "Nothing.": 1])
            #expect(groups.map { $0.texts[0].text } == ["nothing", "More  time", "Nothing."], "the newest are first")
            #expect(groups[0].texts.count == 20 && Set(groups.flatMap { $0.texts.map(\.id) }).count == 23)
            let listed = try await fixture.walk(meeting, limit: 50).texts
            #expect(
                groups[0].texts.map(\.id)
                    == listed.filter { $0.text.lowercased().contains("nothing") }
                    .filter { $0.text != "Nothing." }.map(\.id), "in the order of the list")
        }
    }

    @Test func hiddenAndWithdrawnTextsAreNotCounted() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            var receipts: [SubmissionReceipt] = []
            for text in ["same", "Same", "SAME", "same "] {
                receipts.append(try await fixture.submit("{\"better\": \"\(text)\"}", to: meeting))
            }
            try await fixture.store.texts.setHidden(
                true, answer: receipts[3].id, question: "better", of: meeting, by: fixture.host.account.id)
            #expect(Self.counts(try await Self.walk(meeting, in: fixture.store)) == ["SAME": 3])
            #expect(Self.counts(try await Self.walk(meeting, in: fixture.store, hidden: true)) == ["same ": 1])
            try await fixture.store.submissions.withdraw(
                receipts[2].id, code: meeting.form.code, receipt: receipts[2].receipt)
            #expect(Self.counts(try await Self.walk(meeting, in: fixture.store)) == ["Same": 2])
        }
    }

    @Test func searchGroupsOnlyTheTextsThatMatch() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            try await fixture.write(Self.written(["more  time", "more time", "More time", "other"]), to: meeting)
            let groups = try await Self.walk(meeting, in: fixture.store, containing: "more time")
            #expect(Self.counts(groups) == ["More time": 2], "two blanks are not one in a search")
        }
    }

    @Test func textsBeyondTheLimitAreListedByThemselves() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            try await fixture.write(Self.written([String](repeating: "same", count: 7)), to: meeting)
            var bounds = TextBounds()
            bounds.termAnswers = 5
            let limited = try await fixture.secondStore(texts: bounds)
            let page = try await limited.texts.grouped(of: meeting, question: "better", limit: 50)
            #expect(page.isSampled && page.groups.map(\.count) == [5, 1, 1])
            await limited.close()
        }
    }

    @Test func groupsOfAnAnonymousFormHaveTheOrderOfTheirQuestion() async throws {
        try await TestStore.run { fixture in
            let settings = #""anonymous": true, "minimumGroup": 3"#
            let meeting = try await fixture.openMeeting(TestStore.textQuestions, settings: settings)
            for _ in 1...12 { _ = try await fixture.submit(#"{"better": "same", "more": "same"}"#, to: meeting) }
            let texts = fixture.store.texts
            let early = try await problem { _ = try await texts.grouped(of: meeting, question: "better", limit: 50) }
            #expect(early?.code == .resultsWithheld)
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let closed = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
            for key in ["better", "more"] {
                let listed = try await texts.list(of: closed, question: key, limit: 50).items
                let group = try #require(try await texts.grouped(of: closed, question: key, limit: 50).groups.first)
                #expect(group.count == 12 && group.texts.map(\.id) == listed.map(\.id))
                #expect(group.texts.allSatisfy { $0.submittedAt == nil })
            }
            var bounds = TextBounds()
            bounds.termAnswers = 11
            let limited = try await fixture.secondStore(texts: bounds)
            let single = try await limited.texts.grouped(of: closed, question: "better", limit: 50)
            #expect(single.groups.map(\.count) == [Int](repeating: 1, count: 12), "one alone would be recognized")
            await limited.close()
        }
    }
}
