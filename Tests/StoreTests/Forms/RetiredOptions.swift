import Domain
import Foundation
import Store
import TestSupport
import Testing

@Suite struct RetiredOptions {
    private static func questions(_ prefix: String, _ count: Int = 30) -> String {
        let options = (0..<count).map { number in
            #"{"id": "\#(prefix)\#(number)", "label": "\#(prefix) \#(number)"}"#
        }
        return #"[{"key": "pick", "kind": "choice", "title": "Pick", "options": [\#(options.joined(separator: ","))]}]"#
    }

    @Test func questionsMayHaveMoreRetiredOptionsThanTheLimit() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(Self.questions("a"))
            _ = try await fixture.submit(#"{"pick": "a7"}"#, to: meeting)
            for prefix in ["b", "c"] {
                try await fixture.edit(meeting, settings: "", questions: Self.questions(prefix))
            }
            _ = try await fixture.submit(#"{"pick": "c3"}"#, to: meeting)
            let data = try await fixture.store.results.read(meeting.form.id).questions[0].datasets[0].data
            #expect(data.count == 90)
            #expect(data.reduce(0, +) == 2)
            let asked = try await fixture.store.exports.questions(in: ExportScope(.meeting(meeting.id))).questions
            guard case .choice(let choice)? = asked.first?.kind else {
                Issue.record("The question is not a choice.")
                return
            }
            #expect(choice.options.count == 90)
            await #expect(throws: Problem.self) {
                try await fixture.edit(meeting, settings: "", questions: Self.questions("d", 51))
            }
        }
    }
}
