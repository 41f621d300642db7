import Domain
import StrictJSON
import Testing

@Suite struct SubmissionValidation {
    static let form = PreparedForm(questions: [
        Question(key: "pace", title: "Pace", required: true, kind: .rating(.init())),
        Question(
            key: "one", title: "One",
            kind: .choice(.init(options: [.init(id: "a", label: "A"), .init(id: "b", label: "B")], other: true))),
        Question(
            key: "many", title: "Many",
            kind: .choice(
                .init(
                    options: ["w", "x", "y", "z"].map { .init(id: $0, label: $0) }, multiple: true, minSelections: 2,
                    maxSelections: 3, other: true))),
        Question(key: "plain", title: "Plain", kind: .choice(.init(options: [.init(id: "a", label: "A")]))),
        Question(key: "words", title: "Words", kind: .text(maxLength: 200)),
    ])

    /// The faults of `members` together with a valid rating.
    func faults(_ members: String) throws -> [String] {
        try faults(answers: #"{"pace":3,\#(members)}"#)
    }

    func faults(answers: String, as code: ProblemCode = .validationFailed) throws -> [String] {
        let json = try JSONValue.parse(answers)
        do {
            _ = try Self.form.answers(from: json)
            return []
        } catch {
            #expect(error.code == code)
            return error.faults.map { "\($0.pointer) \($0.code)" }
        }
    }

    @Test func validSubmissionKeepsItsValues() throws {
        let sent = #"{"words":" More  time\n","many":["z",{"other":"the snacks"},"w"],"one":{"other":"c"},"pace":4.0}"#
        let answers = try Self.form.answers(from: .parse(sent))
        #expect(
            answers.entries.map(\.answer) == [
                .rating(4), .choice([], other: "c"), .choice(["z", "w"], other: "the snacks"), .text(" More  time\n"),
            ])
        #expect(
            answers.json.text
                == #"{"pace":4,"one":{"other":"c"},"many":["z","w",{"other":"the snacks"}],"words":" More  time\n"}"#)
    }

    @Test func faultsOfLongListsAreLimited() throws {
        let unknown = Array(repeating: #""nope""#, count: 5_000).joined(separator: ",")
        #expect(try faults(#""many":[\#(unknown)]"#).count == Fault.maximumReported + 1)
        let members = (0..<5_000).map { #""k\#($0)":1"# }.joined(separator: ",")
        #expect(try faults(members).count == Fault.maximumReported + 1)
    }

    @Test(arguments: ["null", "[]"])
    func nullAndEmptyListMeanSkipped(_ nothing: String) throws {
        let json = #"{"pace":1,"one":\#(nothing),"many":\#(nothing),"words":\#(nothing)}"#
        #expect(try Self.form.answers(from: .parse(json)).entries.map(\.key) == ["pace"])
        #expect(try faults(answers: #"{"pace":\#(nothing)}"#) == ["/answers/pace required"])
    }

    @Test(arguments: ["", " ", #"\n\t"#, "\u{3000}\u{a0}"])
    func blankTextMeansSkipped(_ blank: String) throws {
        #expect(try Self.form.answers(from: .parse(#"{"pace":1,"words":"\#(blank)"}"#)).entries.count == 1)
        #expect(try faults(#""one":{"other":"\#(blank)"}"#) == ["/answers/one required"])
    }

    @Test(arguments: ["0", "6", "-1", "1e400", "-1e400", "99999999999999999999"])
    func ratingsOutsideTheScaleAreRefused(_ rating: String) throws {
        #expect(try faults(answers: #"{"pace":\#(rating)}"#) == ["/answers/pace out-of-range"])
    }

    @Test(arguments: ["3.5", "1e-400", "2.0000000000000000001"])
    func fractionalRatingsAreRefused(_ rating: String) throws {
        #expect(try faults(answers: #"{"pace":\#(rating)}"#) == ["/answers/pace not-an-integer"])
    }

    @Test(arguments: [#""3""#, "true", "{}", "[3]", #""""#])
    func valuesOfOtherTypesAreNotRatings(_ rating: String) throws {
        #expect(try faults(answers: #"{"pace":\#(rating)}"#) == ["/answers/pace wrong-type"])
    }

    @Test(arguments: ["3", "3.0", "3e0", "30e-1"])
    func wholeNumbersAreAcceptedInAnyNotation(_ rating: String) throws {
        #expect(try Self.form.answers(from: .parse(#"{"pace":\#(rating)}"#))["pace"] == .rating(3))
    }

    @Test(arguments: [
        (#""one":"c""#, "unknown-option"), (#""one":"A""#, "unknown-option"), (#""one":"other""#, "unknown-option"),
        (#""one":["a"]"#, "wrong-type"), (#""one":1"#, "wrong-type"), (#""one":{}"#, "wrong-type"),
        (#""one":{"other":1}"#, "wrong-type"), (#""one":{"other":"x","more":"y"}"#, "wrong-type"),
        (#""one":{"else":"x"}"#, "wrong-type"), (#""one":{"other":"a\u0000"}"#, "nul-character"),
        (#""plain":{"other":"x"}"#, "unknown-option"), (#""many":"w""#, "wrong-type"),
        (#""many":{"other":"x"}"#, "wrong-type"),
        (#""many":["w","v"]"#, "unknown-option"), (#""many":["w",1]"#, "wrong-type"),
        (#""many":["w",["x"]]"#, "wrong-type"), (#""many":["w","x","w"]"#, "duplicate-choice"),
        (#""many":[{"other":"x"},{"other":"y"}]"#, "duplicate-choice"), (#""many":["w"]"#, "too-few-selections"),
        (#""many":["w","x","y","z"]"#, "too-many-selections"),
        (#""many":["w","x","y",{"other":"v"}]"#, "too-many-selections"), (#""words":1"#, "wrong-type"),
        (#""words":{"other":"x"}"#, "wrong-type"), (#""words":"a\u0000b""#, "nul-character"),
        (#""rest":1"#, "unknown-question"),
    ])
    func eachInvalidAnswerIsReportedAtItsQuestion(_ member: String, _ code: String) throws {
        let key = member.split(separator: "\"")[0]
        #expect(try faults(member) == ["/answers/\(key) \(code)"])
    }

    @Test func textsAreMeasuredInUserPerceivedCharacters() throws {
        for character in ["x", "é", "e\u{301}\u{323}", "👩‍👩‍👧‍👦", "🇰🇷", "한", "\u{1112}\u{1161}\u{11ab}"] {
            let longest = String(repeating: character, count: 200)
            #expect(try faults(#""words":"\#(longest)""#) == [], "\(character)")
            #expect(try faults(#""words":"\#(longest)\#(character)""#) == ["/answers/words too-long"], "\(character)")
        }
        let other = String(repeating: "ü", count: 1000)
        #expect(try faults(#""one":{"other":"\#(other)"}"#) == [])
        #expect(try faults(#""one":{"other":"\#(other)x"}"#) == ["/answers/one too-long"])
    }

    @Test func textsAreLimitedInBytesToo() throws {
        // 200 characters of ten code points with four bytes each are accepted. A mark of two bytes more is not.
        let longest = String(repeating: "\u{1F468}" + String(repeating: "\u{1F3FB}", count: 9), count: 200)
        #expect(longest.utf8.count == 8000 && longest.count <= 200)
        #expect(try faults(#""words":"\#(longest)""#) == [])
        #expect(try faults(#""words":"\#(longest)\#u{301}""#) == ["/answers/words too-long"])
        // A joiner separates the marks, because the parser refuses more than 30 in a row.
        let marked = "e" + String(repeating: "\u{301}\u{200D}", count: 50_000)
        #expect(marked.count == 1)
        #expect(try faults(#""words":"\#(marked)""#) == ["/answers/words too-long"])
        #expect(try faults(#""one":{"other":"\#(marked)"}"#) == ["/answers/one too-long"])
        #expect(try faults(#""many":["w",{"other":"\#(marked)"}]"#) == ["/answers/many too-long"])
    }

    @Test func allFaultsAreReportedTogether() throws {
        let sent = #"{"words":7,"a/b":1,"many":["v","v"],"one":"c"}"#
        #expect(
            try faults(answers: sent) == [
                "/answers/words wrong-type", "/answers/a~1b unknown-question", "/answers/many unknown-option",
                "/answers/many unknown-option", "/answers/one unknown-option", "/answers/pace required",
            ])
    }

    @Test(arguments: ["[]", "1", "\"x\"", "false"])
    func answersOfAnotherTypeAreRefused(_ json: String) throws {
        #expect(try faults(answers: json, as: .badRequest) == ["/answers wrong-type"])
    }

    @Test func emptyAnswersAreValidUnlessOneIsRequired() throws {
        #expect(try PreparedForm(questions: []).answers(from: nil).isEmpty)
        #expect(throws: Problem.self) { try Self.form.answers(from: nil) }
        #expect(throws: Problem.self) { try Self.form.answers(from: .null) }
    }

    @Test func minimumAppliesToAnsweredQuestionsOnly() throws {
        #expect(try faults(#""many":[]"#) == [])
        #expect(try faults(#""many":["w","x"]"#) == [])
    }
}
