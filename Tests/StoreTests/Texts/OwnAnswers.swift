import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// The own answers to a choice are listed, searched and hidden like texts.
@Suite struct OwnAnswers {
    private static let questions = """
        [{"key": "topics", "kind": "choice", "title": "Topics?", "multiple": true, "other": true,
          "options": [{"id": "demo", "label": "The demo"}]},
         {"key": "role", "kind": "choice", "title": "Role?", "other": true,
          "options": [{"id": "guest", "label": "Guest"}]},
         {"key": "place", "kind": "choice", "title": "Place?", "options": [{"id": "here", "label": "Here"}]},
         {"key": "better", "kind": "text", "title": "Better?"}]
        """

    private func submit(_ answers: [String], to meeting: Meeting, _ fixture: TestStore) async throws {
        for answer in answers { _ = try await fixture.submit(answer, to: meeting) }
    }

    @Test func singleAndMultipleChoicesAreListed() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions, settings: #""identity": "open""#)
            try await submit(
                [
                    #"{"topics": ["demo", {"other": "Snacks"}], "role": {"other": "Cook"}}"#,
                    #"{"topics": ["demo"], "role": "guest", "better": "Tea"}"#,
                    #"{"topics": [{"other": "snacks too"}]}"#,
                ], to: meeting, fixture)
            let texts = fixture.store.texts
            let current = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
            let topics = try await texts.list(of: current, question: "topics", limit: 10)
            #expect(topics.items.map(\.text) == ["snacks too", "Snacks"] && topics.next == nil)
            let found = try await texts.list(of: current, question: "topics", containing: "TOO", limit: 10)
            #expect(found.items.map(\.text) == ["snacks too"])
            #expect(try await texts.list(of: current, question: "role", limit: 10).items.map(\.text) == ["Cook"])
            let newest = try await texts.newest(
                of: current, questions: ["topics", "role", "better"], choices: ["topics", "role"], limit: 5)
            #expect(newest["topics"]?.texts.map(\.text) == ["snacks too", "Snacks"])
            #expect(newest["role"]?.texts.map(\.text) == ["Cook"] && newest["better"]?.texts.map(\.text) == ["Tea"])
            let terms = try await texts.terms(of: current, question: "topics", limit: 5)
            #expect(terms.items.first?.answers == 2 && terms.answers == 2)
        }
    }

    @Test func hiddenOnesStayCountedAndLeaveTheExport() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions, settings: #""identity": "open""#)
            try await submit(
                [#"{"topics": ["demo", {"other": "Rude"}], "role": {"other": "Cook"}, "better": "Tea"}"#], to: meeting,
                fixture)
            let texts = fixture.store.texts
            let current = try await fixture.store.meetings.require(meeting.id, by: fixture.host)
            let answer = try #require(try await texts.list(of: current, question: "topics", limit: 1).items.first)
            try await texts.setHidden(
                true, answer: answer.id, question: "topics", of: current, by: fixture.host.account.id)
            #expect(try await texts.list(of: current, question: "topics", limit: 1).items.isEmpty)
            #expect(try await texts.list(of: current, question: "topics", hidden: true, limit: 1).items.count == 1)
            let results = try await fixture.store.results.read(meeting.form.id)
            let topics = try #require(results.questions.first { $0.key == "topics" })
            #expect(topics.points.first { $0.id == "other" }?.count == 1)
            var exported: [JSONValue] = []
            try await fixture.store.exports.submissions(of: meeting.form.id) { exported += $0.map(\.answers) }
            #expect(exported.first?["topics"]?.array?.last?["other"] == .string(""))
            #expect(exported.first?["topics"]?.array?.first == .string("demo"))
            #expect(exported.first?["role"]?["other"] == .string("Cook"))
        }
    }

    @Test(arguments: ["place", "nothing"]) func otherQuestionsHaveNone(key: String) async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions, settings: #""identity": "open""#)
            await #expect(throws: Problem.self) {
                _ = try await fixture.store.texts.list(of: meeting, question: key, limit: 1)
            }
        }
    }

    @Test func theyCannotBeReleased() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions, settings: #""identity": "open""#)
            try await submit([#"{"topics": [{"other": "Snacks"}]}"#], to: meeting, fixture)
            await #expect(throws: Problem.self) {
                try await fixture.store.texts.setReleased(
                    true, question: "topics", of: meeting, by: fixture.host.account.id)
            }
            await #expect(throws: Problem.self) {
                _ = try await fixture.store.texts.released(of: meeting, question: "topics", limit: 1)
            }
        }
    }
}
