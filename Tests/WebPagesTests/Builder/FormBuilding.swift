import Contract
import Foundation
import StrictJSON
import Testing

@testable import WebPages

/// A form while a host edits it in the form builder, without JavaScript.
@Suite struct FormBuilding {
    private static let fields = FormFields(
        "title=Retro&intro=&identity=device&showResults=always&anonymous=on&cap=&graceMinutes=x"
            + "&q0.kind=rating&q0.key=pace&q0.title=Pace&q0.min=0&q0.max=10&q0.metric=nps&q0.required=on"
            + "&q1.kind=choice&q1.key=&q1.title=Which+parts+helped%3F&q1.option-id=demo&q1.option=The+demo"
            + "&q1.option-id=&q1.option=The+talk&q1.option-id=&q1.option=+&q1.option-id=&q1.option=Other&q1.other=on"
            + "&q2.kind=text&q2.key=&q2.title=%ED%95%9C%EA%B5%AD%EC%96%B4&q2.maxLength=x&q9.kind=text")

    private static func definition(_ builder: FormBuilder, avoiding taken: Set<String> = []) -> JSONValue {
        builder.definition(zone: .gmt, avoiding: taken)
    }

    @Test func formIsParsedFromItsFields() throws {
        let body = Self.definition(FormBuilder(Self.fields))
        #expect(body["title"]?.string == "Retro" && body["intro"] == .null && body["anonymous"]?.bool == true)
        #expect(body["showResults"]?.string == "always" && body["cap"] == .null && body["minimumGroup"] == nil)
        let questions = try #require(body["questions"]?.array)
        #expect(questions.map { $0["kind"]?.string } == ["rating", "choice", "text"], "fields after a gap are ignored")
        #expect(questions[0]["metric"]?.string == "nps" && questions[0]["required"]?.bool == true)
        #expect(questions[0]["min"]?.int == 0 && questions[0]["max"]?.int == 10)
        let options = try #require(questions[1]["options"]?.array)
        #expect(options.map { $0["label"]?.string } == ["The demo", "The talk", "Other"], "a blank option is ignored")
        #expect(
            options.map { $0["id"]?.string } == ["demo", "the_talk", "other1"], "`other` is reserved for free text")
        #expect(questions[1]["other"]?.bool == true && questions[1]["multiple"]?.bool == false)
        #expect(questions[1]["maxSelections"] == nil && questions[2]["description"] == nil)
        #expect(FormBuilder(Self.fields).questions[1].sentOptions == [0, 1, 3])
    }

    @Test func invalidNumbersAreSentAsTextForValidation() throws {
        let body = Self.definition(FormBuilder(Self.fields))
        #expect(body["graceMinutes"]?.string == "x")
        #expect(body["questions"]?.array?[2]["maxLength"]?.string == "x")
        var builder = FormBuilder(Self.fields)
        builder.graceMinutes = " 9 "
        builder.questions[2].maxLength = ""
        #expect(Self.definition(builder)["graceMinutes"]?.int == 9)
        #expect(
            Self.definition(builder)["questions"]?.array?[2]["maxLength"] == nil,
            "without a value, the service's default applies")
    }

    @Test(arguments: [Int.min, Int.max])
    func previewOfExtremeNumbersHasValidOnes(number: Int) {
        var question = FormBuilder.Question(kind: "text")
        (question.maxLength, question.min, question.max) = ("\(number)", "\(number)", "\(number)")
        let preview = question.preview(key: "q")
        #expect(preview.maxLength == (number < 0 ? 1 : 10_000))
        #expect(preview.min == (number < 0 ? 0 : 1) && preview.max == (number < 0 ? 1 : 10))
    }

    @Test func newQuestionsGetUniqueKeys() {
        func keys(_ builder: FormBuilder, avoiding taken: Set<String> = []) -> [String?] {
            Self.definition(builder, avoiding: taken)["questions"]?.array?.map { $0["key"]?.string } ?? []
        }
        var builder = FormBuilder(Self.fields)
        #expect(keys(builder) == ["pace", "which_parts_helped", "q1"])
        builder.questions[2].title = "Pace"
        #expect(keys(builder) == ["pace", "which_parts_helped", "pace1"])
        #expect(keys(builder, avoiding: ["pace1", "which_parts_helped"]) == ["pace", "which_parts_helped1", "pace2"])
        #expect(builder.questions[1].key == "", "the builder itself is unchanged")
    }

    @Test func savedFormsSurviveARoundTripThroughTheBuilder() throws {
        var topics = QuestionBody.choice(
            "topics", "Topics", options: [.init(id: "demo", label: "Demo")], multiple: true, maxSelections: 1,
            other: true, required: true)
        topics.minSelections = 1
        topics.description = "Those of today"
        var pace = QuestionBody.rating("pace", "Pace", min: 0, max: 4, required: false)
        (pace.minLabel, pace.maxLabel) = ("slow", "fast")
        let saved = FormBody(
            title: "Retro", intro: "Hello", identity: "attendee", anonymous: true, minimumGroup: 5,
            showResults: "afterClose", cap: 40, opens: .offset(from: "start", minutes: -90),
            closes: .instant(Date(timeIntervalSince1970: 1_900_000_000)), graceMinutes: 9, autoPublish: true,
            oneByOne: true,
            questions: [topics, pace, .text("better", "Better", maxLength: 50, required: false)])
        let zone = try #require(TimeZone(identifier: "Asia/Seoul"))
        let json = FormBuilder(saved, zone: zone).definition(zone: zone)
        let decoded = try ContractCoding.decoder().decode(FormBody.self, from: Data(json.bytes))
        #expect(decoded == saved)
    }

    @Test(arguments: [
        ("up:1", ["choice", "rating", "text"]), ("down:1", ["rating", "text", "choice"]),
        ("move:2:0", ["text", "rating", "choice"]), ("move:0:2", ["choice", "text", "rating"]),
        ("remove:0", ["choice", "text"]), ("add:nps", ["rating", "choice", "text", "rating"]),
        ("copy:1", ["rating", "choice", "choice", "text"]),
        ("up:0", ["rating", "choice", "text"]), ("down:2", ["rating", "choice", "text"]),
        ("move:0:3", ["rating", "choice", "text"]), ("move:1:1", ["rating", "choice", "text"]),
        ("move:0", ["rating", "choice", "text"]), ("move:0:x", ["rating", "choice", "text"]),
        ("remove:7", ["rating", "choice", "text"]), ("remove:-1", ["rating", "choice", "text"]),
        ("add:nothing", ["rating", "choice", "text"]), ("save", ["rating", "choice", "text"]),
    ])
    func buttonsChangeQuestions(button: String, kinds: [String]) {
        var builder = FormBuilder(Self.fields)
        let effect = builder.apply(button)
        #expect(builder.questions.map(\.kind) == kinds)
        #expect((effect == nil) == (kinds == ["rating", "choice", "text"]), "only a change has an effect")
    }

    @Test(arguments: [
        ("option-add:1", ["The demo", "The talk", " ", "Other", ""]),
        ("option-add:1:0", ["The demo", "", "The talk", " ", "Other"]),
        ("option-add:1:99", ["The demo", "The talk", " ", "Other", ""]),
        ("option-remove:1:0", ["The talk", " ", "Other"]), ("option-up:1:1", ["The talk", "The demo", " ", "Other"]),
        ("option-down:1:2", ["The demo", "The talk", "Other", " "]),
        ("option-up:1:0", ["The demo", "The talk", " ", "Other"]),
        ("option-down:1:3", ["The demo", "The talk", " ", "Other"]),
        ("option-remove:1:4", ["The demo", "The talk", " ", "Other"]),
        ("option-remove:1", ["The demo", "The talk", " ", "Other"]),
    ])
    func buttonsChangeOptions(button: String, labels: [String]) {
        var builder = FormBuilder(Self.fields)
        _ = builder.apply(button)
        #expect(builder.questions[1].options.map(\.label) == labels)
    }

    @Test func focusFollowsTheChangedQuestion() {
        var builder = FormBuilder(Self.fields)
        #expect(builder.apply("up:2")?.focus == .button("up:1"))
        #expect(builder.apply("up:1")?.focus == .button("down:0"), "the first question cannot move up")
        #expect(builder.apply("move:0:2")?.focus == .button("move:2"))
        #expect(builder.apply("add:text")?.focus == .question(3))
        #expect(builder.apply("remove:3")?.focus == .question(2))
        #expect(builder.apply("option-add:0") != nil)
        for _ in 0..<3 { _ = builder.apply("remove:0") }
        #expect(builder.questions.isEmpty && builder.apply("remove:0") == nil)
    }

    @Test func copiedQuestionHasNoKeyYet() {
        var builder = FormBuilder(Self.fields)
        _ = builder.apply("copy:0")
        #expect(builder.questions[1].key == "" && builder.questions[1].title == "Pace" && builder.questions[1].isNPS)
    }

    @Test func optionPositionsOutOfRangeAreClamped() {
        var builder = FormBuilder(Self.fields)
        let count = builder.questions[1].options.count
        #expect(builder.apply("option-add:1:9223372036854775807")?.focus == .option(question: 1, option: count))
        #expect(builder.apply("option-add:1:-9223372036854775808")?.focus == .option(question: 1, option: 0))
    }

    @Test func numbersOfQuestionsAndOptionsAreLimited() {
        var builder = FormBuilder(Self.fields)
        for _ in 0..<120 { _ = builder.apply("add:text") }
        #expect(builder.questions.count == 100 && builder.apply("copy:0") == nil)
        for _ in 0..<60 { _ = builder.apply("option-add:1") }
        #expect(builder.questions[1].options.count == 50)
    }

    @Test(arguments: [
        ("option_1", "Option 1", "Too fast", "too_fast"), ("option_12", "Option 1", "Too fast", "too_fast"),
        ("o2", "옵션 2", "Too fast", "too_fast"), ("o2", "느림", "빠름", "o2"), ("slow", "Slow", "느림", "o1"),
        ("mine", "Option 1", "Too fast", "mine"), ("fast", "Fast", "Fast!", "fast"),
        ("option_1", "Option 1", "Option 1", "option_1"),
    ])
    func derivedOptionIDsFollowANewLabel(id: String, old: String, new: String, expected: String) {
        func builder(_ label: String) -> FormBuilder {
            let options = [QuestionBody.Option(id: id, label: label), .init(id: "demo", label: "Demo")]
            return FormBuilder(FormBody(questions: [.choice("topics", "Topics", options: options)]), zone: .gmt)
        }
        let options = [QuestionBody.Option(id: id, label: old), .init(id: "demo", label: "Demo")]
        let saved = [QuestionBody.choice("topics", "Topics", options: options)]
        var typed = builder(new)
        #expect(
            Self.definition(typed)["questions"]?[0]?["options"]?[0]?["id"]?.string == id,
            "the id changes only on request"
        )
        typed.renewOptionIDs(comparedWith: saved)
        let renewed = Self.definition(typed)["questions"]?[0]?["options"]
        #expect(renewed?[0]?["id"]?.string == expected && renewed?[1]?["id"]?.string == "demo")
    }

    @Test func optionsThatSwapLabelsSwapIDs() {
        let saved = QuestionBody.choice(
            "agree", "Agree?", options: [.init(id: "yes", label: "Yes"), .init(id: "no", label: "No")])
        var builder = FormBuilder(FormBody(questions: [saved]), zone: .gmt)
        (builder.questions[0].options[0].label, builder.questions[0].options[1].label) = ("No", "Yes")
        builder.renewOptionIDs(comparedWith: [saved])
        let options = Self.definition(builder)["questions"]?[0]?["options"]
        #expect(options?.array?.map { $0["id"]?.string } == ["no", "yes"])
    }

    @Test func redirectsStayOnThisSite() {
        for path in [nil, "", "home", "//evil", "https://evil", "/\\evil", "/a b", "/\u{e9}"] as [String?] {
            #expect(HostSession.localPath(path) == "/home", "\(path ?? "nil")")
        }
        for path in ["/..//evil.example", "/a/../..//evil.example", "/%2E%2e//evil.example", "/a//b", "/./", "/.."] {
            #expect(HostSession.localPath(path) == "/home", "\(path)")
        }
        for path in ["/meetings/1?x=1", "/", "/series/", "/docs?next=//x", "/series/1#..", "/a.b/..c"] {
            #expect(HostSession.localPath(path) == path)
        }
    }
}
