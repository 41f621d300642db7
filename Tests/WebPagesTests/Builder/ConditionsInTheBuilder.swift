import Contract
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// The conditions of questions in the form builder.
@Suite(.timeLimit(.minutes(5))) struct ConditionsInTheBuilder {
    private static let fields = FormFields(
        "title=&q0.kind=choice&q0.key=&q0.title=Did+you+eat&q0.option-id=&q0.option=Yes&q0.option-id=&q0.option=No"
            + "&q1.kind=rating&q1.key=&q1.title=The+food&q1.min=1&q1.max=5&q2.kind=text&q2.key=&q2.title=Why")

    private static func conditions(_ builder: FormBuilder) -> [String?] {
        builder.definition(zone: .gmt)["questions"]?.array?.map { $0["showIf"]?.text } ?? []
    }

    @Test func conditionOfNewQuestionsIsSavedWithTheirKeys() throws {
        var builder = FormBuilder(Self.fields)
        #expect(builder.apply("if-add:0") == nil, "the first question has none before it")
        #expect(builder.apply("if-add:1") != nil)
        #expect(Self.conditions(builder) == [nil, #"{"question":"did_you_eat","is":"yes"}"#, nil])
        #expect(builder.apply("if-add:2") != nil && builder.apply("if-add:2") != nil)
        builder.questions[2].tests[0].check = "atMost:2"
        builder.questions[2].tests[1] = .init(question: builder.questions[0].key, check: "skipped")
        builder.questions[2].joinsAny = true
        let expected = #"{"any":[{"question":"the_food","atMost":2},{"question":"did_you_eat","answered":false}]}"#
        #expect(Self.conditions(builder)[2] == expected)
    }

    @Test func conditionFollowsQuestionsAndOptionsThatMove() throws {
        var builder = FormBuilder(Self.fields)
        _ = builder.apply("if-add:1")
        _ = builder.apply("option-down:0:0")
        _ = builder.apply("down:1")
        #expect(Self.conditions(builder) == [nil, nil, #"{"question":"did_you_eat","is":"yes"}"#])
        #expect(builder.isPossible(builder.questions[2].tests[0], of: 2))
        _ = builder.apply("copy:2")
        #expect(Self.conditions(builder)[3] == Self.conditions(builder)[2], "a copy has the condition too")
    }

    /// A grid has no answer of its own. Each of its statements is tested by its key.
    @Test func conditionTestsAStatementOfAGrid() throws {
        var builder = FormBuilder(
            FormFields(
                "title=&q0.kind=grid&q0.key=&q0.title=The+course&q0.min=1&q0.max=&q0.pointLabels=no%0Apartly%0Ayes"
                    + "&q0.abstain=Cannot+judge&q0.option-id=&q0.option=Clear&q0.option-id=&q0.option=Useful"
                    + "&q0.option-note=Today&q1.kind=text&q1.key=&q1.title=Why"))
        #expect(builder.apply("if-add:1") != nil)
        #expect(Self.conditions(builder)[1] == #"{"question":"useful","atMost":1}"#)
        #expect(builder.isPossible(builder.questions[1].tests[0], of: 1))
        #expect(builder.questions[0].checks.prefix(3) == ["atMost:1", "atMost:2", "atMost:3"])
        #expect(builder.questions[0].checks.contains("is:abstain"))
        builder.questions[1].tests[0] = .init(question: builder.questions[0].options[0].id, check: "is:abstain")
        #expect(Self.conditions(builder)[1] == #"{"question":"clear","is":"abstain"}"#)
        let grid = builder.definition(zone: .gmt)["questions"]?[0]
        #expect(grid?["max"]?.int == 3 && grid?["statements"]?[0]?["description"]?.string == "Today")
        #expect(builder.neverAsked == [])
        _ = builder.apply("option-remove:0:0")
        #expect(!builder.isPossible(builder.questions[1].tests[0], of: 1))
        _ = builder.apply("undo")
        #expect(builder.isPossible(builder.questions[1].tests[0], of: 1))
        #expect(builder.questions[0].options[0].note == "Today", "a statement comes back with its description")
        _ = builder.apply("copy:0")
        #expect(builder.definition(zone: .gmt)["questions"]?[1]?["statements"]?[1]?["key"]?.string == "useful1")
    }

    @Test func endOfAScaleIsAShortNumber() {
        let zeros = String(repeating: "0", count: 1000)
        #expect(FormBuilder.integer("10") == 10 && FormBuilder.integer(zeros + "1") == nil)
        var builder = FormBuilder(Self.fields)
        builder.questions[1].max = zeros + "9"
        #expect(builder.questions[1].checks.contains("atMost:5"))
        #expect(!builder.questions[1].checks.contains("atMost:6"))
    }

    @Test func conditionOnARemovedQuestionIsReportedAndComesBackByUndoing() throws {
        var builder = FormBuilder(Self.fields)
        _ = builder.apply("if-add:1")
        let saved = Self.conditions(builder)[1]
        for action in ["remove:0", "down:0", "option-remove:0:0"] {
            _ = builder.apply(action)
            let index = try #require(builder.questions.firstIndex { !$0.tests.isEmpty })
            #expect(!builder.isPossible(builder.questions[index].tests[0], of: index), "\(action)")
            let advice = FormAdvice.on(builder, .init(zone: .gmt, now: .distantPast))
            #expect(advice.contains(FormAdvice(text: "lost-condition", question: index)), "\(action)")
            // The page keeps what takes it back in fields.
            builder.undos = builder.undos.compactMap { FormBuilder.Undo($0.text) }
            _ = builder.apply("undo")
            #expect(Self.conditions(builder)[1] == saved, "\(action)")
        }
    }

    @Test func removedQuestionComesBackWithItsCondition() throws {
        var builder = FormBuilder(Self.fields)
        _ = builder.apply("if-add:1")
        let before = Self.conditions(builder)
        _ = builder.apply("remove:1")
        builder.undos = builder.undos.compactMap { FormBuilder.Undo($0.text) }
        _ = builder.apply("undo")
        #expect(Self.conditions(builder) == before)
    }

    @Test func chosenQuestionGetsAnAnswerThatFits() throws {
        var builder = FormBuilder(Self.fields)
        _ = builder.apply("if-add:2")
        builder.questions[2].tests[0] = .init(question: builder.questions[0].key, check: "atLeast:3")
        _ = builder.apply("if-pick:2:0")
        #expect(Self.conditions(builder)[2] == #"{"question":"did_you_eat","is":"yes"}"#)
        #expect(builder.apply("if-remove:2:0") != nil && builder.apply("if-remove:2:0") == nil)
        #expect(Self.conditions(builder)[2] == nil)
    }

    @Test func questionThatNobodyIsAskedIsReported() throws {
        var builder = FormBuilder(Self.fields)
        _ = builder.apply("if-add:2")
        _ = builder.apply("if-add:2")
        builder.questions[2].tests[0].check = "atLeast:4"
        builder.questions[2].tests[1].check = "atMost:3"
        #expect(builder.neverAsked == [2])
        builder.questions[2].joinsAny = true
        #expect(builder.neverAsked == [])
    }

    @Test func storedConditionsSurviveTheBuilder() async throws {
        try await TestSite.run { site in
            let questions = """
                [{"key": "ate", "kind": "choice", "title": "Ate?", "multiple": true, "other": true,
                  "options": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]},
                 {"key": "food", "kind": "rating", "title": "Food?", "showIf": {"question": "ate", "is": "other"}},
                 {"key": "why", "kind": "text", "title": "Why?", "showIf": {"any": [
                   {"question": "food", "atMost": 2}, {"question": "food", "isNot": 3},
                   {"question": "ate", "isNot": "no"}, {"question": "food", "answered": false}]}}]
                """
            let host = try await site.signedIn()
            let meeting = try await site.openForm(by: host)
            try await meeting.define("{\"identity\": \"device\", \"questions\": \(questions)}").expect(200)
            let before = try await meeting.form().json
            let body = try await meeting.form().decoded(as: Form.self).definition
            let builder = FormBuilder(body, zone: .gmt)
            let definition = builder.definition(zone: .gmt)
            try await meeting.define(definition.text).expect(200)
            #expect(try await meeting.form().json?["questions"] == before?["questions"])
            var browser = host
            let page = try await browser.get("/meetings/\(meeting.id)/form").expect(200)
            #expect(page.text.contains("is at most 2") && page.text.contains("does not include “No”"))
        }
    }

    @Test func numbersOfForgedMarksAreIgnored() throws {
        var builder = FormBuilder(
            FormFields(
                "q0.kind=rating&q0.key=~9223372036854775807&q0.title=A&q1.kind=choice&q1.key=&q1.title=B"
                    + "&q1.option-id=~-9223372036854775808&q1.option=x&q1.option-id=&q1.option=y"))
        #expect(builder.apply("if-add:1") != nil)
        #expect(builder.questions[1].key == "~1" && builder.questions[1].options[1].id == "~2")
        #expect(builder.questions[1].tests.map(\.question) == ["~9223372036854775807"])
    }

    /// A page would repeat the id in each test that refers to the question.
    @Test func restoredOptionHasNoLongID() throws {
        let undo = "option:0:0?option-id=\(String(repeating: "x", count: 101))&option=A"
        var builder = FormBuilder(
            FormFields("q0.kind=choice&q0.key=a&q0.title=T&undo=\(PathQuery.encode(undo))&q0.option-id=b&q0.option=B"))
        #expect(builder.apply("undo") != nil)
        #expect(builder.questions[0].options.map(\.label) == ["A", "B"])
        #expect(builder.questions[0].options.map(\.id) == ["", "b"])
    }

    @Test(arguments: [("", true), (" \n\u{3000}", true), (" a", false), (String(repeating: " ", count: 65), false)])
    func littleWhiteSpaceIsNoTitle(title: String, isBlank: Bool) {
        #expect(FormBuilder.isBlank(title) == isBlank)
    }

    /// A page of 2,000 tests whose titles and labels are long would otherwise have hundreds of megabytes.
    @Test func pageOfManyTestsStaysSmall() async throws {
        let title = String(repeating: "t", count: 50_000)
        var fields = ["q0.kind=choice&q0.key=a&q0.title=\(title)"]
        fields += (0..<60).map { "q0.option-id=o\($0)&q0.option=\(title.prefix(5_000))" }
        fields += (1..<100).map { number in
            let test = "&q\(number).if-question=a&q\(number).if-check=is:o1"
            return "q\(number).kind=text&q\(number).key=k\(number)&q\(number).title=T"
                + String(repeating: test, count: 20)
        }
        let body = Array(fields.joined(separator: "&").utf8)
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let path = "/meetings/\(try await site.openForm(by: host).id)/form"
            let headers = [
                "Content-Type": "application/x-www-form-urlencoded",
                "Cookie": host.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; "),
            ]
            // Without the token, the page shows again what was typed.
            let shown = try await site.client.send("POST", path, body: body, headers: headers).expect(403)
            #expect(shown.count("q99.if-check") == 20 && shown.body.count < 8_000_000, "\(shown.body.count) bytes")
            let visitor = try await site.client.send(
                "POST", path, body: body, headers: headers.filter { $0.key != "Cookie" })
            #expect(visitor.body.count < 20_000, "Nothing is shown again: \(visitor.body.count) bytes.")
            try await host.get(path).expect(200)
        }
    }
}
