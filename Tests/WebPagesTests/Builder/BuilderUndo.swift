import Foundation
import TestSupport
import Testing

@testable import WebPages

/// Taking back what the buttons of the form builder removed and moved, and adding several options at once.
@Suite struct BuilderUndo {
    private static let fields =
        "q0.kind=rating&q0.key=pace&q0.title=Pace&q0.min=1&q0.max=5&q0.minLabel=%EB%8A%90%EB%A6%BC&q0.required=on"
        + "&q1.kind=choice&q1.key=topics&q1.title=Topics&q1.multiple=on&q1.option-id=demo&q1.option=A+%26+B%3D%3F"
        + "&q1.option-id=talk&q1.option=Talk&q1.option-id=&q1.option=Lunch&q2.kind=text&q2.key=better&q2.title=Better"

    /// The builder after its page was sent and shown again.
    private static func sent(_ builder: FormBuilder) -> FormBuilder {
        var again = FormBuilder(FormFields(fields))
        again.questions = builder.questions
        let undos = PathQuery(builder.undos.map { (name: "undo", value: $0.text) }).text.dropFirst()
        again.undos = FormBuilder(FormFields(String(undos))).undos
        return again
    }

    @Test(arguments: [
        "remove:0", "remove:1", "remove:2", "up:2", "down:0", "move:0:2", "move:2:0", "option-remove:1:0",
        "option-remove:1:2", "option-up:1:2", "option-down:1:0",
    ])
    func undoRestoresTheFormAsItWas(action: String) {
        let original = FormBuilder(FormFields(Self.fields))
        var builder = original
        #expect(builder.apply(action) != nil && builder.questions != original.questions)
        builder = Self.sent(builder)
        #expect(builder.undos.count == 1 && builder.apply("undo") != nil)
        #expect(builder == original)
        #expect(builder.apply("undo") == nil, "there is nothing more to take back")
    }

    @Test func severalActionsAreTakenBackInReverse() {
        let original = FormBuilder(FormFields(Self.fields))
        var builder = original
        for action in ["option-remove:1:1", "up:1", "remove:0", "option-up:0:0", "down:0", "remove:1"] {
            _ = builder.apply(action)
            builder = Self.sent(builder)
        }
        #expect(builder.undos.count == 5, "a button without an effect adds nothing")
        while builder.apply("undo") != nil { builder = Self.sent(builder) }
        #expect(builder == original)
    }

    @Test func typedTextSurvivesAnUndo() {
        var builder = FormBuilder(FormFields(Self.fields))
        _ = builder.apply("remove:0")
        builder.questions[1].title = "Better, reworded"
        #expect(builder.apply("undo")?.message == "said-restored")
        #expect(builder.questions.map(\.title) == ["Pace", "Topics", "Better, reworded"])
    }

    @Test(arguments: ["copy:0", "option-add:1:0", "option-lines:1:0"])
    func insertionsEndWhatCanBeTakenBack(action: String) {
        var builder = FormBuilder(FormFields(Self.fields))
        _ = builder.apply("remove:2")
        builder.questions[1].options[0].label = "One\nTwo"
        #expect(builder.apply(action) != nil && builder.undos.isEmpty)
    }

    @Test func questionAddedAtTheEndKeepsWhatCanBeTakenBack() {
        var builder = FormBuilder(FormFields(Self.fields))
        _ = builder.apply("remove:0")
        _ = builder.apply("add:text")
        #expect(builder.apply("undo")?.focus == .question(0) && builder.questions.count == 4)
    }

    @Test(arguments: [
        "", "question", "question:0", "question:-1?kind=text", "question:x?kind=text", "question:9?kind=text",
        "option:7:0?option=x", "option:1:9?option=x", "option:0?option=x", "move:0:9", "move:9:0", "move:0",
        "option-move:1:0:9", "option-move:9:0:0", "question:99999999999999999999?kind=text", "other:1",
    ])
    func forgedUndosChangeNothing(field: String) {
        let query = PathQuery([("undo", field)]).text.dropFirst()
        var builder = FormBuilder(FormFields(Self.fields + "&" + query))
        let questions = builder.questions
        #expect(builder.apply("undo") == nil && builder.questions == questions)
    }

    @Test func whatCanBeTakenBackIsLimited() {
        var builder = FormBuilder(FormFields(Self.fields))
        for _ in 0..<30 { _ = builder.apply("move:0:2") }
        #expect(builder.undos.count == FormBuilder.Undo.maxCount)
        builder.questions = (0..<6).map { _ in
            var question = FormBuilder.Question(kind: "text")
            question.title = String(repeating: "한", count: 10_000)
            return question
        }
        for _ in 0..<6 { _ = builder.apply("remove:0") }
        #expect(builder.undos.count == 2, "older entries are dropped beyond 256 KiB")
    }

    @Test func removalSaysWhatHappensToTheAnswers() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let path = "/meetings/\(meeting.id)/form"
            let fields = ["q0.kind": "rating", "q0.key": "pace", "q0.title": "Pace", "act": "remove:0"]
            try await host.get(path).expect(200)
            let unanswered = try await host.post(path, fields)
            #expect(unanswered.text.contains("Question 1 removed.</p>") && unanswered.text.contains(">Undo</button>"))
            try await meeting.submit(#"{"pace": 4}"#, respondent: String(repeating: "d", count: 40)).expect(201)
            let answered = try await host.post(path, fields)
            #expect(answered.text.contains("Its answers are kept"))
            let new = try await host.post(path, fields.merging(["q0.key": ""]) { $1 })
            #expect(!new.text.contains("Its answers are kept"), "a question that was never saved has none")
            let begun = try await host.post(path, ["act": "begin:retro"])
            #expect(begun.text.contains(#"id="undo" name="act" value="undo" hidden"#))
        }
    }

    // MARK: Several options

    @Test func pastedLinesBecomeOptions() {
        var builder = FormBuilder(FormFields(Self.fields))
        builder.questions[1].options[1].label = "  Talk \n\n Soup\r\n\u{2028}Rice "
        let effect = builder.apply("option-lines:1:1")
        #expect(builder.questions[1].options.map(\.label) == ["A & B=?", "Talk", "Soup", "Rice", "Lunch"])
        #expect(builder.questions[1].options.map(\.id) == ["demo", "talk", "", "", ""], "the answers of `talk` stay")
        #expect(effect?.focus == .option(question: 1, option: 3) && effect?.count == 3)
        for action in ["option-lines:1:0", "option-lines:1:9", "option-lines:1", "option-lines:0"] {
            #expect(builder.apply(action) == nil, "\(action)")
        }
    }

    @Test func linesFillEmptyOptionsAtTheEnd() {
        var builder = FormBuilder()
        _ = builder.apply("add:choice")
        builder.questions[0].lines = "Soup\n \nRice\nFish\n"
        #expect(builder.apply("option-lines:0")?.count == 3)
        #expect(builder.questions[0].options.map(\.label) == ["Soup", "Rice", "Fish"])
        #expect(builder.questions[0].lines.isEmpty)
    }

    @Test func pastedLinesAreLimited() {
        var builder = FormBuilder(FormFields(Self.fields))
        builder.questions[1].lines = String(repeating: "x\n", count: 10_000)
        _ = builder.apply("option-lines:1")
        #expect(builder.questions[1].options.count == FormBuilder.maxReadOptions)
        let labels = FormBuilder.Question.labels(in: String(repeating: "x\n", count: 10_000))
        #expect(labels.count == FormBuilder.maxReadOptions + 1)
        builder.questions[1].options[0].label = String(repeating: "x\n", count: 10_000)
        _ = builder.apply("option-lines:1:0")
        #expect(builder.questions[1].options.count == FormBuilder.maxReadOptions)
    }

    @Test func linesOfAPageWithoutJavaScriptAreSaved() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let path = "/meetings/\(meeting.id)/form"
            try await host.get(path).expect(200)
            let shown = try await host.post(
                path, ["q0.kind": "choice", "q0.title": "Lunch", "q0.lines": "Soup\nRice <b>", "act": "add:text"])
            #expect(shown.status == 200 && shown.text.contains(#"value="Rice &lt;b&gt;""#))
        }
    }

    // MARK: Other buttons

    @Test func allQuestionsAreFoldedAndUnfolded() {
        var builder = FormBuilder(FormFields(Self.fields + "&q1.folded=on"))
        #expect(builder.questions.map(\.isFolded) == [false, true, false])
        #expect(builder.apply("fold:all") != nil && builder.questions.allSatisfy(\.isFolded))
        #expect(builder.apply("fold:none") != nil && !builder.questions.contains(where: \.isFolded))
        #expect(builder.apply("fold:x") == nil)
    }

    @Test(arguments: [("en", "How likely are you to recommend it?"), ("de", "Wie wahrscheinlich"), ("ko", "추천할 의향")])
    func recommendationHasItsUsualTextInThePagesLanguage(language: String, title: String) async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            let path = "/meetings/\(meeting.id)/form?lang=\(language)"
            try await host.get(path).expect(200)
            let shown = try await host.post(path, ["act": "add:nps"])
            #expect(shown.status == 200 && shown.text.contains(title))
        }
    }
}
