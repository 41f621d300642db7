import Domain
import StrictJSON
import Testing

/// Statements that are rated on one labelled scale.
@Suite struct Grids {
    private static func json(
        statements: String =
            #"[{"key": "clear", "title": "It was clear"}, {"key": "useful", "title": "It was useful"}]"#,
        _ scale: String = #""min": 1, "max": 3, "labels": ["no", "partly", "yes"]"#, more: String = ""
    ) -> String {
        """
        [{"key": "pace", "kind": "rating", "title": "Pace"},
         {"key": "course", "kind": "grid", "title": "The course", \(scale), "statements": \(statements)\(more)}]
        """
    }

    private static func questions(_ json: String) throws -> [Question] {
        try FormDefinition.readQuestions(.parse(Array(json.utf8)))
    }

    private static func faults(_ json: String) -> [String] {
        do {
            _ = try questions(json)
            return []
        } catch let problem as Problem {
            return problem.faults.map { "\($0.pointer) \($0.code)" }
        } catch {
            return ["\(error)"]
        }
    }

    @Test func eachStatementIsARatingOfItsOwn() throws {
        let questions = try Self.questions(Self.json(more: #", "required": true, "abstain": "Cannot judge""#))
        #expect(questions.map(\.key) == ["pace", "clear", "useful"])
        #expect(questions[0].grid == nil && questions[1].grid == Grid(key: "course", title: "The course"))
        for statement in questions.dropFirst() {
            #expect(statement.required && statement.grid?.key == "course")
            let scale = Question.Rating(min: 1, max: 3, abstain: "Cannot judge", labels: ["no", "partly", "yes"])
            #expect(statement.kind == .rating(scale))
        }
        let result = QuestionResult.make(question: questions[1], counts: ["3": 2, "#answered": 2])
        #expect(result.labels == ["no", "partly", "yes"] && result.points[2].value == 3 && result.summary?.mean == 3)
        #expect(result.grid?.title == "The course")
    }

    @Test func documentOfAFormIsReadAgainAsTheSameForm() throws {
        for more in ["", #", "description": "Of today", "showIf": {"question": "pace", "atLeast": 2}"#] {
            let definition = FormDefinition(questions: try Self.questions(Self.json(more: more)))
            let elements = definition.json["questions"]?.array
            #expect(elements?.count == 2 && elements?[1]["kind"]?.string == "grid")
            #expect(elements?[1]["statements"]?.array?.count == 2)
            #expect(try FormDefinition(json: definition.json) == definition)
            for question in definition.questions { #expect(try Question(stored: question.json) == question) }
        }
    }

    private static let twentyOne =
        "["
        + (1...21).map { "{\"key\": \"s\($0)\", \"title\": \"S\"}" }.joined(separator: ", ") + "]"

    @Test(arguments: [
        (
            json(statements: #"[{"key": "a", "title": "A"}, {"key": "a", "title": "B"}]"#),
            "/questions/1/statements/1/key duplicate-key"
        ),
        (json(statements: #"[{"key": "pace", "title": "A"}]"#), "/questions/1/statements/0/key duplicate-key"),
        (json(statements: #"[{"key": "course", "title": "A"}]"#), "/questions/1/statements/0/key duplicate-key"),
        (json(statements: #"[{"key": "id", "title": "A"}]"#), "/questions/1/statements/0/key reserved-key"),
        (json(statements: #"[{"key": "a"}]"#), "/questions/1/statements/0/title required"),
        (json(statements: "[]"), "/questions/1/statements required"),
        (json(statements: twentyOne), "/questions/1/statements too-many"),
        (json(#""min": 1, "max": 5"#), "/questions/1/labels required"),
        (json(#""min": 1, "max": 5, "minLabel": "no""#), "/questions/1/labels required"),
        (json(#""min": 1, "max": 5, "labels": ["no", "yes"]"#), "/questions/1/labels wrong-count"),
        (json(#""min": 1, "max": 2, "labels": ["no", " "]"#), "/questions/1/labels/1 required"),
        (json(#""min": 1, "max": 2, "labels": ["no", 2]"#), "/questions/1/labels wrong-type"),
        (json(#""min": 1, "max": 1, "minLabel": "no", "maxLabel": "yes""#), "/questions/1/max out-of-range"),
        (json(#""min": 1, "max": 11, "minLabel": "no", "maxLabel": "yes""#), "/questions/1/max out-of-range"),
        (json(more: #", "options": []"#), "/questions/1/options unknown-field"),
        (
            json(more: #", "showIf": {"question": "useful", "atLeast": 2}"#),
            "/questions/1/showIf/question condition-on-later"
        ),
    ])
    func unusableGridIsRefusedWithItsFault(json: String, fault: String) {
        #expect(Self.faults(json) == [fault])
    }

    @Test func ratingOfAFormCannotNameAGrid() {
        let json = #"[{"key": "a", "kind": "rating", "title": "A", "grid": {"key": "g", "title": "G"}}]"#
        #expect(Self.faults(json) == ["/questions/0/grid unknown-field"])
    }

    @Test func faultOfAPublishedGridIsReportedOnce() throws {
        let published = FormDefinition(questions: try Self.questions(Self.json()))
        let changed = FormDefinition(
            questions: try Self.questions(Self.json(#""min": 1, "max": 2, "labels": ["no", "yes"]"#)))
        let faults = changed.faults(replacing: published, hasAnswers: true)
        #expect(faults.map(\.pointer) == ["/questions/1/max"])
    }
}
