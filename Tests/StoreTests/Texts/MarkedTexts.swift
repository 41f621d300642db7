import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Stars and tags belong to a text, and go with it.
@Suite(.timeLimit(.minutes(15))) struct MarkedTexts {
    private static func mark(
        _ fixture: TestStore, _ answer: UUID, _ marks: TextMarks, in meeting: Meeting, question: String = "better"
    ) async throws {
        try await fixture.store.texts.setMarks(
            marks, answer: answer, question: question, of: meeting, by: fixture.host.account.id)
    }

    private static func counts(
        _ fixture: TestStore, _ meeting: Meeting, question: String = "better"
    ) async throws -> String {
        let counts = try await fixture.store.texts.markCounts(of: meeting, question: question)
        return (["\(counts.starred)"] + counts.tags.map { "\($0.tag):\($0.count)" }).joined(separator: " ")
    }

    private static func submit(_ texts: [String], _ fixture: TestStore, _ meeting: Meeting) async throws
        -> [SubmissionReceipt]
    {
        var receipts: [SubmissionReceipt] = []
        for text in texts {
            receipts.append(try await fixture.submit("{\"better\": \"\(text)\", \"more\": \"\(text)\"}", to: meeting))
        }
        return receipts
    }

    @Test func listIsFilteredByStarAndTag() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let ids = try await Self.submit(["a", "b", "c", "d"], fixture, meeting).map(\.id)
            try await Self.mark(fixture, ids[0], TextMarks(isStarred: true, tags: ["room", "Food"]), in: meeting)
            try await Self.mark(fixture, ids[1], TextMarks(tags: ["room"]), in: meeting)
            try await Self.mark(fixture, ids[2], TextMarks(isStarred: true), in: meeting)
            #expect(try await Self.counts(fixture, meeting) == "2 room:2 Food:1")
            #expect(try await Self.counts(fixture, meeting, question: "more") == "0", "the other text is not marked")
            func list(starred: Bool = false, tag: String? = nil) async throws -> [String] {
                let texts = fixture.store.texts
                let page = try await texts.list(
                    of: meeting, question: "better", starred: starred, tag: tag, limit: 50)
                let grouped = try await texts.grouped(
                    of: meeting, question: "better", filter: TextFilter(starred: starred, tag: tag), limit: 50)
                #expect(grouped.groups.map { $0.texts[0].id } == page.items.map(\.id))
                return page.items.map(\.text)
            }
            #expect(try await list(starred: true) == ["c", "a"])
            #expect(try await list(tag: "room") == ["b", "a"])
            #expect(try await list(starred: true, tag: "room") == ["a"])
            #expect(try await list(tag: "roo").isEmpty)
            #expect(try await list(tag: "food").isEmpty, "a tag is found as it was given")
            let all = try await fixture.store.texts.list(of: meeting, question: "better", limit: 50).items
            #expect(all.map(\.marks.tags) == [[], [], ["room"], ["room", "Food"]])

            let first = try await fixture.store.texts.list(of: meeting, question: "better", starred: true, limit: 1)
            let next = try #require(first.next)
            let other = try await problem {
                _ = try await fixture.store.texts.list(
                    of: meeting, question: "better", tag: "room", after: next, limit: 1)
            }
            #expect(other?.faults.first?.code == "invalid-cursor")

            try await Self.mark(fixture, ids[0], TextMarks(), in: meeting)
            #expect(try await Self.counts(fixture, meeting) == "1 room:1")
        }
    }

    @Test func hiddenTextsAreNotCountedAndKeepTheirMarks() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let id = try await Self.submit(["a"], fixture, meeting)[0].id
            try await Self.mark(fixture, id, TextMarks(isStarred: true), in: meeting)
            let texts = fixture.store.texts
            for (hidden, expected) in [(true, "0"), (false, "1")] {
                try await texts.setHidden(
                    hidden, answer: id, question: "better", of: meeting, by: fixture.host.account.id)
                #expect(try await Self.counts(fixture, meeting) == expected)
            }
        }
    }

    @Test func correctionRemovesTheMarksOfChangedTextsOnly() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let receipt = try await Self.submit(["a"], fixture, meeting)[0]
            for question in ["better", "more"] {
                try await Self.mark(fixture, receipt.id, TextMarks(tags: ["room"]), in: meeting, question: question)
            }
            func correct(_ json: String) async throws {
                _ = try await fixture.store.submissions.correct(
                    receipt.id, code: meeting.form.code, receipt: receipt.receipt, version: nil,
                    answers: JSONValue.parse(Array(json.utf8)))
            }
            try await correct(#"{"better": "a", "more": "changed"}"#)
            #expect(try await Self.counts(fixture, meeting) == "0 room:1")
            #expect(try await Self.counts(fixture, meeting, question: "more") == "0")
            try await correct(#"{"more": "changed"}"#)
            try await correct(#"{"better": "a", "more": "changed"}"#)
            #expect(try await Self.counts(fixture, meeting) == "0", "the text was removed in between")
            let marks = try await fixture.store.pool.query("SELECT marks::text FROM submission").single()
            #expect(try marks.decode(String?.self) == nil)
        }
    }

    @Test func withdrawalAndRemovalDeleteTheMarks() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let receipts = try await Self.submit(["a", "b"], fixture, meeting)
            for receipt in receipts {
                try await Self.mark(fixture, receipt.id, TextMarks(isStarred: true, tags: ["room"]), in: meeting)
            }
            try await fixture.store.submissions.withdraw(
                receipts[0].id, code: meeting.form.code, receipt: receipts[0].receipt)
            try await fixture.store.submissions.remove(receipts[1].id, from: meeting, by: fixture.host.account.id)
            #expect(try await fixture.store.pool.query("SELECT FROM submission WHERE marks IS NOT NULL").isEmpty)
            let refused = try await problem {
                try await Self.mark(fixture, receipts[0].id, TextMarks(isStarred: true), in: meeting)
            }
            #expect(refused?.code == .notFound)
        }
    }

    @Test func marksOfAnAnonymousFormFollowItsTextsWhenItBecomesFinal() async throws {
        try await TestStore.run { fixture in
            let settings = #""anonymous": true, "minimumGroup": 3"#
            let meeting = try await fixture.openMeeting(TestStore.textQuestions, settings: settings)
            let receipts = try await Self.submit(["a", "b", "c", "d"], fixture, meeting)
            let early = try await problem {
                try await Self.mark(fixture, receipts[0].id, TextMarks(isStarred: true), in: meeting)
            }
            #expect(early?.code == .resultsWithheld)
            _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            let closed = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
            let texts = fixture.store.texts
            let old = try await texts.list(of: closed, question: "better", limit: 9).items
            let marked = try #require(old.first { $0.text == "b" })
            #expect(!receipts.map(\.id).contains(marked.id))
            try await Self.mark(fixture, marked.id, TextMarks(isStarred: true, tags: ["room"]), in: closed)
            let detail = try await fixture.store.pool.query(
                "SELECT detail::text FROM audit WHERE act = 'answer.mark'"
            ).single().decode(String.self)
            #expect(!detail.contains(marked.id.uuidString.lowercased()) && !detail.contains("room"))
            try await fixture.store.pool.execute(
                """
                UPDATE form_state SET state = 'finalising', finalising_since = now() WHERE form_id = \(meeting.form.id)
                """)
            try await fixture.store.pool.query("SELECT unlink_submissions(\(meeting.form.id))")
            let new = try await texts.list(of: closed, question: "better", starred: true, limit: 9).items
            #expect(new.map(\.text) == ["b"] && new[0].marks.tags == ["room"] && new[0].id != marked.id)
            #expect(try await Self.counts(fixture, closed) == "1 room:1")
        }
    }

    @Test func tagsAreTrimmedAndBounded() async throws {
        let marks = try TextMarks(tags: [" room ", "", "ROOM", "more  time", "회의"])
        #expect(marks.tags == ["room", "more time", "회의"] && !marks.isStarred)
        #expect(try TextMarks(tags: [String(repeating: "가", count: 30)]).tags.count == 1)
        for tags in [["a,b"], ["a\u{0}"], [String(repeating: "x", count: 31)], ["a", "b", "c", "d", "e", "f"]] {
            #expect(throws: Problem.self) { try TextMarks(tags: tags) }
        }
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(TestStore.textQuestions)
            let ids = try await Self.submit((0..<7).map { "text \($0)" }, fixture, meeting).map(\.id)
            for (number, id) in ids.prefix(6).enumerated() {
                let tags = (0..<5).map { "tag \(number * 5 + $0)" }
                try await Self.mark(fixture, id, TextMarks(tags: tags), in: meeting)
            }
            let refused = try await problem {
                try await Self.mark(fixture, ids[6], TextMarks(tags: ["another"]), in: meeting)
            }
            #expect(refused?.faults.first?.code == "too-many")
            try await Self.mark(fixture, ids[6], TextMarks(tags: ["tag 1"]), in: meeting)
        }
    }
}
