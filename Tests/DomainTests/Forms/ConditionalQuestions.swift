import Domain
import Foundation
import StrictJSON
import Testing

/// Questions that are asked only under a condition.
@Suite struct ConditionalQuestions {
    private static let questions = """
        [{"key": "ate", "kind": "choice", "title": "Did you eat?", "required": true,
          "options": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}]},
         {"key": "food", "kind": "rating", "title": "The food?", "required": true,
          "showIf": {"question": "ate", "is": "yes"}},
         {"key": "why", "kind": "text", "title": "Why?", "showIf": {"question": "food", "atMost": 2}},
         {"key": "topics", "kind": "choice", "title": "Topics", "multiple": true, "other": true,
          "options": [{"id": "demo", "label": "Demo"}, {"id": "talk", "label": "Talk"}]},
         {"key": "more", "kind": "text", "title": "More?",
          "showIf": {"any": [{"question": "topics", "is": "other"}, {"question": "why", "answered": true}]}},
         {"key": "end", "kind": "rating", "title": "End", "min": 0, "max": 10,
          "showIf": {"all": [{"question": "topics", "isNot": "demo"}, {"question": "food", "answered": false}]}}]
        """

    private func definition(_ questions: String = Self.questions, settings: String = "") throws -> FormDefinition {
        try FormDefinition(json: .parse("{\(settings)\"questions\": \(questions)}"))
    }

    private func faults(_ questions: String, settings: String = "") throws -> [String] {
        do {
            _ = try definition(questions, settings: settings)
            return []
        } catch let problem as Problem {
            return problem.faults.map { "\($0.pointer) \($0.code)" }
        }
    }

    @Test func conditionsAreReadAsTheyWereWritten() throws {
        let read = try definition()
        #expect(read.questions.map(\.showIf?.tests.count) == [nil, 1, 1, nil, 2, 2])
        #expect(read.questions[1].showIf == ShowIf(.init("ate", .equals(.option("yes")))))
        #expect(read.questions[4].showIf?.join == .any)
        #expect(try FormDefinition(json: read.json) == read)
        #expect(read.json.text.contains(#""showIf":{"question":"food","atMost":2}"#))
        let plain = try definition(#"[{"key": "a", "kind": "text", "title": "A", "showIf": null}]"#)
        #expect(!plain.json.text.contains("showIf"), "forms without conditions stay as they were")
    }

    @Test func listWithOneTestIsThatTest() throws {
        let questions = """
            [{"key": "a", "kind": "text", "title": "A"},
             {"key": "b", "kind": "text", "title": "B", "showIf": {"any": [{"question": "a", "answered": true}]}}]
            """
        let read = try definition(questions)
        #expect(read.questions[1].showIf == ShowIf(.init("a", .answered(true))))
        #expect(try FormDefinition(json: read.json) == read)
    }

    @Test func randomFormsAreReadAsTheyWereWritten() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix(state: seed)
            var definition = random.definition()
            definition.anonymous = false
            for index in definition.questions.indices.dropFirst() where random.chance() {
                let earlier = definition.questions[random.int(0...index - 1)].key
                let test = ShowIf.Test(earlier, .answered(random.chance()))
                definition.questions[index].showIf = ShowIf(.any, Array(repeating: test, count: random.int(1...3)))
            }
            // The statements of a grid have one condition.
            for index in definition.questions.indices.dropFirst() {
                let last = definition.questions[index - 1]
                if let grid = definition.questions[index].grid, grid == last.grid {
                    definition.questions[index].showIf = last.showIf
                }
            }
            #expect(try FormDefinition(json: definition.json) == definition)
        }
    }

    @Test(arguments: [
        (#"{"question": "b", "answered": true}"#, ["/questions/1/showIf/question condition-on-itself"]),
        (#"{"question": "c", "answered": true}"#, ["/questions/1/showIf/question condition-on-later"]),
        (#"{"question": "zz", "answered": true}"#, ["/questions/1/showIf/question unknown-question"]),
        (#"{"question": "t", "is": "yes"}"#, ["/questions/1/showIf/is condition-on-text"]),
        (#"{"question": "t", "atLeast": 3}"#, ["/questions/1/showIf/atLeast condition-on-text"]),
        (#"{"question": "a", "is": "gone"}"#, ["/questions/1/showIf/is unknown-option"]),
        (#"{"question": "a", "isNot": "other"}"#, ["/questions/1/showIf/isNot unknown-option"]),
        (#"{"question": "a", "is": 1}"#, ["/questions/1/showIf/is not-a-rating"]),
        (#"{"question": "a", "atMost": 1}"#, ["/questions/1/showIf/atMost not-a-rating"]),
        (#"{"question": "r", "is": "4"}"#, ["/questions/1/showIf/is not-an-option"]),
        (#"{"question": "r", "atLeast": 6}"#, ["/questions/1/showIf/atLeast out-of-range"]),
        (#"{"question": "r", "isNot": 0}"#, ["/questions/1/showIf/isNot out-of-range"]),
        (#"{"question": "r", "is": 2.5}"#, ["/questions/1/showIf/is not-an-integer"]),
        (#"{"question": "r", "is": true}"#, ["/questions/1/showIf/is wrong-type"]),
        (#"{"question": "r", "is": 1, "isNot": 2}"#, ["/questions/1/showIf ambiguous-condition"]),
        (#"{"question": "r"}"#, ["/questions/1/showIf required"]),
        (#"{"is": 4}"#, ["/questions/1/showIf/question required"]),
        (#"{"all": []}"#, ["/questions/1/showIf/all required"]),
        (#"{"all": [{"question": "r", "is": 1}], "any": []}"#, ["/questions/1/showIf ambiguous-condition"]),
        (
            #"{"all": [{"question": "r", "is": 9}, {"question": "b", "is": 1}]}"#,
            ["/questions/1/showIf/all/0/is out-of-range", "/questions/1/showIf/all/1/question condition-on-itself"]
        ),
        (
            #"{"all": [{"all": []}]}"#,
            [
                "/questions/1/showIf/all/0/question required", "/questions/1/showIf/all/0 required",
                "/questions/1/showIf/all/0/all unknown-field",
            ]
        ),
        (#""always""#, ["/questions/1/showIf wrong-type"]),
    ])
    func invalidConditionsAreRefused(_ condition: String, _ expected: [String]) throws {
        let others = """
            {"key": "t", "kind": "text", "title": "T"},
            {"key": "r", "kind": "rating", "title": "R"},
            {"key": "a", "kind": "choice", "title": "A", "options": [{"id": "yes", "label": "Yes"}]}
            """
        // The position of the question in the pointers does not matter here.
        let found = try faults(
            """
            [\(others), {"key": "b", "kind": "text", "title": "B", "showIf": \(condition)},
             {"key": "c", "kind": "text", "title": "C"}]
            """)
        #expect(found == expected.map { $0.replacing("/questions/1/", with: "/questions/3/") })
    }

    @Test func ringIsRefusedAtItsFirstQuestion() throws {
        let found = try faults(
            """
            [{"key": "a", "kind": "text", "title": "A", "showIf": {"question": "b", "answered": true}},
             {"key": "b", "kind": "text", "title": "B", "showIf": {"question": "a", "answered": true}}]
            """)
        #expect(found == ["/questions/0/showIf/question condition-on-later"])
    }

    @Test func tooManyTestsAreRefused() throws {
        let tests = Array(repeating: #"{"question": "a", "answered": true}"#, count: 21).joined(separator: ",")
        let found = try faults(
            """
            [{"key": "a", "kind": "text", "title": "A"},
             {"key": "b", "kind": "text", "title": "B", "showIf": {"all": [\(tests)]}}]
            """)
        #expect(found == ["/questions/1/showIf/all too-many"])
    }

    @Test func anonymousFormHasNoConditions() throws {
        let anonymous = #""anonymous": true, "#
        #expect(
            try faults(Self.questions, settings: anonymous)
                == [1, 2, 4, 5].map { "/questions/\($0)/showIf anonymous-form" })
        #expect(throws: Problem.self) {
            try NextRound.read(
                .parse("{\"questions\": \(Self.questions)}"), after: MeetingDraft(title: "M"),
                asking: FormDefinition(anonymous: true))
        }
    }

    // MARK: Submissions

    @Test(arguments: [
        (#"{"ate": "no"}"#, []),
        (#"{"ate": "yes"}"#, ["/answers/food required"]),
        (#"{"ate": "no", "food": 3}"#, ["/answers/food not-asked"]),
        (#"{"ate": "no", "food": null, "why": " ", "more": null}"#, []),
        (#"{"ate": "yes", "food": 3, "why": "x"}"#, ["/answers/why not-asked"]),
        (#"{"ate": "yes", "food": 2, "why": "x", "more": "y"}"#, []),
        (#"{"ate": "yes", "food": 2, "more": "y"}"#, ["/answers/more not-asked"]),
        (#"{"ate": "no", "topics": ["talk", {"other": "o"}], "more": "y", "end": 10}"#, []),
        (#"{"ate": "no", "topics": ["demo"], "end": 10}"#, ["/answers/end not-asked"]),
        (#"{"ate": "no", "end": 10}"#, ["/answers/end not-asked"]),
        // What depends on an answer with a fault is not judged.
        (#"{"ate": "maybe", "food": 3, "why": "x"}"#, ["/answers/ate unknown-option"]),
        (#"{"ate": "yes", "food": 9, "why": "x"}"#, ["/answers/food out-of-range"]),
        (#"{"food": 3}"#, ["/answers/ate required"]),
        (#"{"ate": "no", "food": 2, "why": "x"}"#, ["/answers/food not-asked", "/answers/why not-asked"]),
    ])
    func answersAreJudgedByTheConditions(_ answers: String, _ expected: [String]) throws {
        let form = PreparedForm(try definition())
        do {
            _ = try form.answers(from: .parse(answers))
            #expect(expected == [])
        } catch let problem as Problem {
            #expect(problem.code == .validationFailed)
            #expect(problem.faults.map { "\($0.pointer) \($0.code)" } == expected)
        }
    }

    @Test func onlyThoseWhoWereAskedAreCounted() throws {
        let form = PreparedForm(try definition())
        func counts(_ json: String) throws -> [String] {
            try form.tally(form.answers(from: .parse(json))).map { "\($0.question)\($0.bucket)" }
        }
        #expect(try counts(#"{"ate": "no"}"#) == ["ate#answered", "ateno", "topics#skipped"])
        #expect(
            try counts(#"{"ate": "yes", "food": 1}"#)
                == ["ate#answered", "ateyes", "food#answered", "food1", "topics#skipped", "why#skipped"])
    }

    @Test func questionSetsDifferByTheirConditions() throws {
        var other = try definition()
        other.questions[1].showIf = ShowIf(.init("ate", .equals(.option("no"))))
        #expect(try definition().questionSet != other.questionSet)
    }

    @Test func changedConditionIsAChangeOfTheQuestion() throws {
        var edited = try definition()
        edited.questions[1].showIf = nil
        var history = FormHistory(version: 1, definition: try definition())
        history.publish(edited, version: 2, at: .distantPast)
        let change = history.changes.first
        #expect(history.changes.count == 1 && change?.kind == .conditioned && change?.to == nil)
        #expect(change?.from == #"{"question":"ate","is":"yes"}"#)
    }

    // MARK: Questions that nobody can be asked

    @Test(arguments: [
        (#"{"all": [{"question": "a", "is": "x"}, {"question": "a", "is": "y"}]}"#, true),
        (#"{"any": [{"question": "a", "is": "x"}, {"question": "a", "is": "y"}]}"#, false),
        (#"{"all": [{"question": "m", "is": "x"}, {"question": "m", "is": "y"}]}"#, false),
        (#"{"all": [{"question": "m", "is": "x"}, {"question": "m", "isNot": "x"}]}"#, true),
        (#"{"all": [{"question": "a", "isNot": "x"}, {"question": "a", "isNot": "y"}]}"#, true),
        (#"{"all": [{"question": "r", "atLeast": 4}, {"question": "r", "atMost": 3}]}"#, true),
        (#"{"all": [{"question": "r", "atLeast": 4}, {"question": "r", "isNot": 4}]}"#, false),
        (#"{"question": "q", "answered": false}"#, true),
        (#"{"all": [{"question": "r", "answered": false}, {"question": "r", "is": 3}]}"#, true),
        // `d` is asked only if `a` is `x`.
        (#"{"all": [{"question": "d", "answered": true}, {"question": "a", "is": "y"}]}"#, true),
        (#"{"all": [{"question": "d", "answered": false}, {"question": "a", "is": "y"}]}"#, false),
        (#"{"any": [{"question": "d", "answered": true}, {"question": "a", "is": "y"}]}"#, false),
    ])
    func conditionThatCannotHoldIsFound(_ condition: String, _ isNever: Bool) throws {
        let options = #""options": [{"id": "x", "label": "X"}, {"id": "y", "label": "Y"}]"#
        let read = try definition(
            """
            [{"key": "a", "kind": "choice", "title": "A", \(options)},
             {"key": "m", "kind": "choice", "title": "M", "multiple": true, \(options)},
             {"key": "r", "kind": "rating", "title": "R"},
             {"key": "q", "kind": "rating", "title": "Q", "required": true},
             {"key": "d", "kind": "text", "title": "D", "showIf": {"question": "a", "is": "x"}},
             {"key": "z", "kind": "text", "title": "Z", "showIf": \(condition)}]
            """)
        #expect(NeverAsked.keys(in: read.questions) == (isNever ? ["z"] : []))
    }
}
