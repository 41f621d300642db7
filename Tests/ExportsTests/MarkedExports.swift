import Domain
import Foundation
import Store
import TestSupport
import Testing

@testable import Exports

/// Stars and tags of texts are written if they are asked for.
@Suite(.timeLimit(.minutes(15))) struct MarkedExports {
    private static let questions = """
        [{"key": "better", "kind": "text", "title": "Better?"},
         {"key": "topic", "kind": "choice", "title": "Topic?", "other": true, "multiple": true,
          "options": [{"id": "star", "label": "Star"}]}]
        """

    /// The lines of an export without quotation marks.
    private static func lines(
        _ kind: ExportKind, _ meeting: Meeting, marks: Bool, _ fixture: TestStore, _ format: ExportFormat = .csv
    ) async throws -> [String] {
        let bytes = try await WorkbookExports.bytes(
            kind, ExportScope(.meeting(meeting.id)), ExportOptions(format: format, marks: marks), of: fixture
        ).bytes
        let text = String(decoding: bytes, as: UTF8.self).replacing("\"", with: "")
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// A closed meeting with two submissions. The first has marks on both texts.
    private static func markedMeeting(_ fixture: TestStore, settings: String? = nil) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(questions, settings: settings)
        for number in 1...3 {
            _ = try await fixture.submit(
                "{\"better\": \"text \(number)\", \"topic\": [\"star\", {\"other\": \"own \(number)\"}]}", to: meeting)
        }
        _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
        let closed = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
        for (key, text, marks) in [
            ("better", "text 1", try TextMarks(isStarred: true, tags: ["room", "more time"])),
            ("topic", "own 2", try TextMarks(tags: ["=food"])),
        ] {
            let texts = try await fixture.store.texts.list(of: closed, question: key, limit: 50).items
            let answer = try #require(texts.first { $0.text == text })
            try await fixture.store.texts.setMarks(
                marks, answer: answer.id, question: key, of: closed, by: fixture.host.account.id)
        }
        return closed
    }

    @Test func submissionsHaveTwoColumnsForEachQuestionWithTexts() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.markedMeeting(fixture)
            let plain = try await Self.lines(.submissions, meeting, marks: false, fixture)
            let marked = try await Self.lines(.submissions, meeting, marks: true, fixture)
            #expect(!plain[0].contains("marks"))
            #expect(
                marked[0].hasSuffix(
                    "better,better.marks.star,better.marks.tags,topic.star,topic.other,topic.other_text,"
                        + "topic.marks.star,topic.marks.tags"))
            #expect(marked[1].hasSuffix("text 1,1,room, more time,1,1,own 1,0,"))
            #expect(marked[2].hasSuffix("text 2,0,,1,1,own 2,0,'=food"))
            #expect(marked.count == plain.count)
            let json = try await Self.lines(.submissions, meeting, marks: true, fixture, .ndjson)
            #expect(json[0].contains("better.marks.tags:room, more time"))
        }
    }

    @Test func answersHaveTheMarksOfTheirText() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.markedMeeting(fixture)
            let lines = try await Self.lines(.answers, meeting, marks: true, fixture)
            #expect(lines[0].hasSuffix("option_id,value,star,tags"))
            #expect(lines.contains { $0.hasSuffix("better,text,,text 1,1,room, more time") })
            #expect(lines.contains { $0.hasSuffix("topic,choice,star,,,") }, "a selection has no text")
            #expect(lines.contains { $0.hasSuffix("topic,choice,other,own 2,0,'=food") })
            #expect(try await Self.lines(.answers, meeting, marks: false, fixture)[0].hasSuffix("option_id,value"))
            let texts = try await fixture.store.texts.list(of: meeting, question: "better", limit: 50).items
            let first = try #require(texts.first { $0.text == "text 1" })
            try await fixture.store.texts.setHidden(
                true, answer: first.id, question: "better", of: meeting, by: fixture.host.account.id)
            #expect(try await !Self.lines(.answers, meeting, marks: true, fixture).contains { $0.contains("room") })
            #expect(
                try await !Self.lines(.submissions, meeting, marks: true, fixture).contains { $0.contains("room") })
        }
    }

    @Test func anonymousAnswersHaveTheMarksOfTheirTextAlone() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.markedMeeting(
                fixture, settings: #""anonymous": true, "minimumGroup": 3"#)
            let lines = try await Self.lines(.answers, meeting, marks: true, fixture)
            #expect(lines.contains { $0.hasSuffix(",,better,text,,text 1,1,room, more time") })
            #expect(lines.contains { $0.hasSuffix(",,topic,choice,other,own 2,0,'=food") })
            #expect(lines.filter { $0.hasSuffix(",,topic,choice,star,,,") }.count == 3)
        }
    }
}
