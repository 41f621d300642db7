import Contract
import Foundation
import Testing

@testable import WebPages

/// A form as its host edits it on a page without a script.
@Suite struct BuiltForms {
    private static let fields = FormFields(
        "title=Retro&intro=&identity=device&showResults=always&anonymous=on"
            + "&q0.kind=rating&q0.key=pace&q0.title=Pace&q0.min=0&q0.max=10&q0.metric=nps&q0.required=on"
            + "&q1.kind=choice&q1.key=&q1.title=Which+parts+helped%3F&q1.option-id=demo&q1.option=The+demo"
            + "&q1.option-id=&q1.option=The+talk&q1.option-id=&q1.option=&q1.option-id=&q1.option=Other&q1.other=on"
            + "&q2.kind=text&q2.key=&q2.title=%ED%95%9C%EA%B5%AD%EC%96%B4&q2.maxLength=x&q9.kind=text")

    @Test func areReadFromTheirFields() {
        let body = FormBuilder(Self.fields).body
        #expect(body.title == "Retro" && body.intro == nil && body.anonymous == true && body.showResults == "always")
        #expect(body.questions.map(\.kind) == ["rating", "choice", "text"], "fields behind a gap are none")
        #expect(body.questions[0].metric == "nps" && body.questions[0].required == true)
        #expect(body.questions[1].options?.map(\.label) == ["The demo", "The talk", "Other"])
        #expect(body.questions[1].options?.map(\.id) == ["demo", "the_talk", "other1"], "`other` is an own answer")
        #expect(body.questions[1].other == true && body.questions[1].multiple == false)
        #expect(body.questions[2].maxLength == nil)
    }

    @Test func newQuestionsGetKeysThatNoOtherHas() {
        var builder = FormBuilder(Self.fields)
        builder.body.questions[2].title = "Pace"
        let keys = builder.named(over: FormBody(questions: [])).questions.map(\.key)
        #expect(keys == ["pace", "which_parts_helped", "pace1"])
        #expect(builder.body.questions[1].key == "", "what is typed stays as it is")
        let unnamed = FormBuilder(Self.fields).named(over: FormBody(questions: []))
        #expect(unnamed.questions[2].key == "q1")
    }

    @Test func whatThePageDoesNotShowStaysAsItIs() {
        var builder = FormBuilder(Self.fields)
        builder.body.questions[1].key = "parts"
        builder.body.questions[1].multiple = true
        var old = QuestionBody.choice("parts", "Parts", options: [], multiple: true, maxSelections: 2)
        old.minSelections = 1
        let saved = FormBody(
            anonymous: true, minimumGroup: 5, cap: 40, closes: .instant(.distantFuture), graceMinutes: 9,
            autoPublish: true, questions: [old])
        let named = builder.named(over: saved)
        #expect(named.minimumGroup == 5 && named.cap == 40 && named.graceMinutes == 9 && named.autoPublish == true)
        #expect(named.closes == .instant(.distantFuture) && named.opens == nil)
        #expect(named.questions[1].minSelections == 1 && named.questions[1].maxSelections == 2)
        builder.body.anonymous = false
        #expect(builder.named(over: saved).minimumGroup == nil, "another promise has its own smallest group")
    }

    @Test(arguments: [
        ("up:1", ["choice", "rating", "text"]), ("down:1", ["rating", "text", "choice"]),
        ("remove:0", ["choice", "text"]), ("add:nps", ["rating", "choice", "text", "rating"]),
        ("up:0", ["rating", "choice", "text"]), ("down:2", ["rating", "choice", "text"]),
        ("remove:7", ["rating", "choice", "text"]), ("remove:-1", ["rating", "choice", "text"]),
        ("add:nothing", ["rating", "choice", "text"]), ("save", ["rating", "choice", "text"]),
    ])
    func buttonsChangeThem(button: String, kinds: [String]) {
        var builder = FormBuilder(Self.fields)
        builder.press(button)
        #expect(builder.body.questions.map(\.kind) == kinds)
    }

    @Test func nobodyIsLedElsewhere() {
        for path in [nil, "", "home", "//evil", "https://evil", "/\\evil", "/a b", "/\u{e9}"] as [String?] {
            #expect(HostVisit.ownPath(path) == "/home", "\(path ?? "nil")")
        }
        #expect(HostVisit.ownPath("/meetings/1?x=1") == "/meetings/1?x=1")
    }
}
