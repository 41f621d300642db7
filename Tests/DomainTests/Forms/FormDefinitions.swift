import Domain
import Foundation
import StrictJSON
import Testing

@Suite struct FormDefinitions {
    static let full = #"""
        {"title":"After the retro","intro":"Two minutes, thank you.","identity":"open","anonymous":false,"minimumGroup":1,
        "showResults":"never","cap":null,"opens":null,"closes":{"from":"end","minutes":2880},"graceMinutes":5,
        "autoPublish":false,"questions":[
        {"key":"pace","kind":"rating","title":"How was the pace?","description":"Think of today only.","required":true,
        "min":1,"max":5,"minLabel":"too slow","maxLabel":"too fast","metric":"mean"},
        {"key":"topics","kind":"choice","title":"What helped?","multiple":true,"minSelections":0,"maxSelections":3,
        "options":[{"id":"demo","label":"The demo"},{"id":"talk","label":"The discussion"}],"other":true},
        {"key":"better","kind":"text","title":"What should we change?","maxLength":200}]}
        """#

    static func faults(_ text: String) throws -> [String] {
        let json = try JSONValue.parse(text)
        do {
            _ = try FormDefinition(json: json)
            return []
        } catch {
            return error.faults.map { "\($0.kind == .malformed ? 400 : 422) \($0.pointer) \($0.code)" }
        }
    }

    static func faults(question: String) throws -> [String] {
        try faults(#"{"questions":[\#(question)]}"#)
    }

    @Test func exampleOfTheContractIsDecoded() throws {
        let definition = try FormDefinition(json: .parse(Self.full))
        #expect(definition.title == "After the retro")
        #expect(definition.closes == .offset(from: .end, minutes: 2880))
        #expect(definition.questions.map(\.key) == ["pace", "topics", "better"])
        #expect(definition.questions[0].kind == .rating(.init(minLabel: "too slow", maxLabel: "too fast")))
        #expect(
            definition.questions[1].kind
                == .choice(
                    .init(
                        options: [.init(id: "demo", label: "The demo"), .init(id: "talk", label: "The discussion")],
                        multiple: true, maxSelections: 3, other: true)))
        #expect(definition.questions[2].kind == .text(maxLength: 200))
    }

    @Test func omittedMembersHaveTheirDefaults() throws {
        let definition = try FormDefinition(
            json: .parse(
                #"{"questions":[{"key":"r","kind":"rating","title":"R"},{"key":"t","kind":"text","title":"T"},"#
                    + #"{"key":"c","kind":"choice","title":"C","options":[{"id":"a","label":"A"}]}]}"#))
        #expect(
            definition
                == FormDefinition(questions: [
                    Question(key: "r", title: "R", kind: .rating(.init(min: 1, max: 5))),
                    Question(key: "t", title: "T", kind: .text(maxLength: 1000)),
                    Question(key: "c", title: "C", kind: .choice(.init(options: [.init(id: "a", label: "A")]))),
                ]))
        #expect(definition.graceMinutes == 5)
        #expect(definition.minimumGroup == 1)
        #expect(try FormDefinition(json: .parse(#"{"anonymous":true}"#)).minimumGroup == 3)
    }

    @Test(arguments: 0..<40)
    func encodedDefinitionsDecodeToEqualValues(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        for _ in 0..<25 {
            let definition = random.definition()
            #expect(try FormDefinition(json: .parse(definition.json.bytes)) == definition)
        }
    }

    @Test(arguments: [
        (#"[]"#, ["400  wrong-type"]),
        (#"{"titel":"x"}"#, ["400 /titel unknown-field"]),
        (
            #"{"title":1,"anonymous":"yes","cap":"9","questions":{}}"#,
            ["400 /anonymous wrong-type", "400 /title wrong-type", "400 /cap wrong-type", "400 /questions wrong-type"]
        ),
        (
            #"{"identity":"anyone","showResults":"sometimes"}"#,
            ["422 /identity unknown-value", "422 /showResults unknown-value"]
        ),
        (#"{"anonymous":true,"minimumGroup":2}"#, ["422 /minimumGroup out-of-range"]),
        (#"{"minimumGroup":0}"#, ["422 /minimumGroup out-of-range"]),
        (#"{"minimumGroup":1001}"#, ["422 /minimumGroup out-of-range"]),
        (#"{"cap":0}"#, ["422 /cap out-of-range"]),
        (#"{"cap":1.5}"#, ["422 /cap not-an-integer"]),
        (#"{"cap":1e400}"#, ["422 /cap out-of-range"]),
        (#"{"graceMinutes":-1}"#, ["422 /graceMinutes out-of-range"]),
        (#"{"graceMinutes":1441}"#, ["422 /graceMinutes out-of-range"]),
        (#"{"title":"a\u0000b"}"#, ["422 /title nul-character"]),
        (#"{"opens":"tomorrow"}"#, ["422 /opens invalid-time"]),
        (#"{"opens":5}"#, ["400 /opens wrong-type"]),
        (#"{"closes":{"from":"middle","minutes":1}}"#, ["422 /closes/from unknown-value"]),
        (#"{"closes":{"minutes":999999999}}"#, ["422 /closes/from required", "422 /closes/minutes out-of-range"]),
        (#"{"closes":{"from":"end","minutes":1,"hours":1}}"#, ["400 /closes/hours unknown-field"]),
        (#"{"opens":"2026-01-02T00:00:00Z","closes":"2026-01-02T00:00:00Z"}"#, ["422 /closes closes-before-opens"]),
        (
            #"{"opens":{"from":"end","minutes":5},"closes":{"from":"end","minutes":4}}"#,
            ["422 /closes closes-before-opens"]
        ),
        (#"{"opens":{"from":"start","minutes":5},"closes":{"from":"end","minutes":4}}"#, []),
    ])
    func faultsOfTheFormAreReported(_ text: String, _ expected: [String]) throws {
        #expect(try Self.faults(text) == expected)
    }

    @Test(arguments: [
        (#"7"#, ["400 /questions/0 wrong-type"]),
        (
            #"{}"#,
            ["422 /questions/0/key required", "422 /questions/0/title required", "422 /questions/0/kind required"]
        ),
        (
            #"{"key":"a","title":" ","kind":"slider"}"#,
            ["422 /questions/0/title required", "422 /questions/0/kind unknown-value"]
        ),
        (#"{"key":"a","title":"A","kind":"text","min":1}"#, ["400 /questions/0/min unknown-field"]),
        (#"{"key":"a","title":"A","kind":"rating","options":[]}"#, ["400 /questions/0/options unknown-field"]),
        (#"{"key":"a","title":"A","kind":"text","maxLength":0}"#, ["422 /questions/0/maxLength out-of-range"]),
        (#"{"key":"a","title":"A","kind":"text","maxLength":10001}"#, ["422 /questions/0/maxLength out-of-range"]),
        (#"{"key":"a","title":"A","kind":"rating","min":2}"#, ["422 /questions/0/min out-of-range"]),
        (
            #"{"key":"a","title":"A","kind":"rating","min":-1,"max":11}"#,
            ["422 /questions/0/min out-of-range", "422 /questions/0/max out-of-range"]
        ),
        (#"{"key":"a","title":"A","kind":"rating","min":1,"max":1}"#, ["422 /questions/0/max out-of-range"]),
        (#"{"key":"a","title":"A","kind":"rating","metric":"nps"}"#, ["422 /questions/0/metric nps-range"]),
        (#"{"key":"a","title":"A","kind":"rating","min":0,"max":10,"metric":"nps"}"#, []),
        (#"{"key":"a","title":"A","kind":"choice"}"#, ["422 /questions/0/options required"]),
        (#"{"key":"a","title":"A","kind":"choice","other":true}"#, []),
        (
            #"{"key":"a","title":"A","kind":"choice","options":[{"id":"x"},{"id":"y","label":" "},{"label":"Z"}]}"#,
            [
                "422 /questions/0/options/0/label required", "422 /questions/0/options/1/label required",
                "422 /questions/0/options/2/id required",
            ]
        ),
        (
            #"{"key":"a","title":"A","kind":"choice","options":[{"id":"x","label":"1"},{"id":"x","label":"2"}]}"#,
            ["422 /questions/0/options/1/id duplicate-option"]
        ),
        (
            #"{"key":"a","title":"A","kind":"choice","options":[{"id":"other","label":"1"}]}"#,
            ["422 /questions/0/options/0/id reserved-option"]
        ),
        (
            // In exports, `a.other_text` is the column of the `other` texts.
            #"{"key":"a","title":"A","kind":"choice","options":[{"id":"other_text","label":"1"}]}"#,
            ["422 /questions/0/options/0/id reserved-option"]
        ),
        (
            #"{"key":"a","title":"A","kind":"choice","options":[{"id":"x","label":"1"}],"maxSelections":1}"#,
            ["422 /questions/0/maxSelections not-multiple"]
        ),
        (
            #"{"key":"a","title":"A","kind":"choice","options":[{"id":"x","label":"1"}],"multiple":true,"maxSelections":2}"#,
            ["422 /questions/0/maxSelections out-of-range"]
        ),
        (
            #"{"key":"a","title":"A","kind":"choice","options":[{"id":"x","label":"1"},{"id":"y","label":"1"}],"#
                + #""multiple":true,"minSelections":2,"maxSelections":1}"#,
            ["422 /questions/0/minSelections out-of-range"]
        ),
        (
            #"{"key":"a","title":"A","kind":"choice","options":[{"id":"x","label":"1"}],"multiple":true,"minSelections":2}"#,
            ["422 /questions/0/minSelections out-of-range"]
        ),
    ])
    func faultsOfAQuestionAreReported(_ text: String, _ expected: [String]) throws {
        #expect(try Self.faults(question: text) == expected)
    }

    @Test(arguments: ["", "A", "1a", "_a", "a-b", "a b", "ä", "a\u{e9}", String(repeating: "a", count: 41)])
    func invalidKeysAreRefused(_ key: String) throws {
        #expect(
            try Self.faults(question: #"{"key":"\#(key)","title":"A","kind":"text"}"#) == [
                "422 /questions/0/key invalid-key"
            ])
    }

    @Test(arguments: ["id", "submitted_at", "form_version", "name", "email", "round", "meeting"])
    func columnsOfTheExportAreReservedKeys(_ key: String) throws {
        #expect(
            try Self.faults(question: #"{"key":"\#(key)","title":"A","kind":"text"}"#) == [
                "422 /questions/0/key reserved-key"
            ])
    }

    @Test func twoQuestionsCannotHaveTheSameKey() throws {
        let text = #"{"key":"a","title":"A","kind":"text"},{"key":"a","title":"B","kind":"rating"}"#
        #expect(try Self.faults(question: text) == ["422 /questions/1/key duplicate-key"])
    }

    @Test(arguments: [(100, []), (101, ["422 /questions too-many"])])
    func numberOfQuestionsIsLimited(_ count: Int, _ expected: [String]) throws {
        let questions = (0..<count).map { #"{"key":"k\#($0)","title":"A","kind":"text"}"# }
        #expect(try Self.faults(question: questions.joined(separator: ",")) == expected)
    }

    @Test(arguments: [(50, []), (51, ["422 /questions/0/options too-many"])])
    func numberOfOptionsIsLimited(_ count: Int, _ expected: [String]) throws {
        let options = (0..<count).map { #"{"id":"o\#($0)","label":"L"}"# }.joined(separator: ",")
        #expect(
            try Self.faults(question: #"{"key":"a","title":"A","kind":"choice","options":[\#(options)]}"#) == expected)
    }

    @Test func lengthsCountUserPerceivedCharacters() throws {
        let family = "👩‍👩‍👧"
        let title = String(repeating: family, count: 300)
        #expect(try Self.faults(#"{"title":"\#(title)"}"#) == [])
        #expect(try Self.faults(#"{"title":"\#(title)x"}"#) == ["422 /title too-long"])
        #expect(try Self.faults(#"{"intro":"\#(String(repeating: "x", count: 2001))"}"#) == ["422 /intro too-long"])
        let description = String(repeating: "x", count: 501)
        #expect(
            try Self.faults(question: #"{"key":"a","title":"A","kind":"text","description":"\#(description)"}"#)
                == ["422 /questions/0/description too-long"])
    }

    @Test func listOfQuestionsIsDecodedWithoutAForm() throws {
        let questions = try FormDefinition.readQuestions(.parse(#"[{"key":"a","title":"A","kind":"text"}]"#))
        #expect(questions == [Question(key: "a", title: "A", kind: .text(maxLength: 1000))])
        let problem = #expect(throws: Problem.self) { try FormDefinition.readQuestions(.parse(#"[{"key":"a"},1]"#)) }
        #expect(problem?.code == .badRequest)
        #expect(problem?.faults.map(\.pointer) == ["/questions/0/title", "/questions/0/kind", "/questions/1"])
    }

    @Test func malformedFieldTakesPrecedenceOverABrokenRule() throws {
        let problem = #expect(throws: Problem.self) { try FormDefinition(json: .parse(#"{"cap":0,"x":1}"#)) }
        #expect(problem?.code == .badRequest)
        let other = #expect(throws: Problem.self) { try FormDefinition(json: .parse(#"{"cap":0}"#)) }
        #expect(other?.code == .validationFailed)
    }

    @Test func momentsAreResolvedAgainstTheMeeting() {
        let start = Date(timeIntervalSince1970: 1000)
        let end = Date(timeIntervalSince1970: 5000)
        #expect(Moment.instant(start).resolved(start: nil, end: nil) == start)
        #expect(
            Moment.offset(from: .start, minutes: -10).resolved(start: start, end: end)
                == Date(timeIntervalSince1970: 400))
        #expect(
            Moment.offset(from: .end, minutes: 2).resolved(start: start, end: end) == Date(timeIntervalSince1970: 5120))
        #expect(Moment.offset(from: .end, minutes: 2).resolved(start: start, end: nil) == nil)
    }
}
