import Domain
import StrictJSON

/// Forms with every kind of question, and valid answers to them.
extension SeededNumbers {
    public mutating func text() -> String {
        (0...int(0...4)).map { _ in
            one(of: ["word", "é", "e\u{301}", "한국", "👩‍👩‍👧", "\"", "\\", "=1", "\n", "\u{202E}א", " ", "-5"])
        }.joined() + "."
    }

    /// A text that no other call returns, so that no two labels are equal.
    public mutating func label() -> String { "\(text())\(next())" }

    /// - Parameter conditions: Whether questions may depend on answers to earlier ones.
    public mutating func definition(_ count: ClosedRange<Int> = 1...6, conditions: Bool = false) -> FormDefinition {
        var definition = FormDefinition(questions: (0..<int(count)).map { question("q\($0)") })
        addGrid(to: &definition.questions)
        guard conditions else { return definition }
        for index in definition.questions.indices.dropFirst() where chance() {
            definition.questions[index].showIf = condition(on: Array(definition.questions[..<index]))
        }
        shareConditions(in: &definition.questions)
        return definition
    }

    public mutating func question(_ key: String) -> Question {
        Question(
            key: key, title: label(), description: chance() ? text() : nil, required: int(0...4) == 0, kind: kind())
    }

    private mutating func kind() -> Question.Kind {
        switch int(0...4) {
        case 0: return .text(maxLength: int(100...10_000))
        case 1: return .rating(.init(min: 0, max: 10, minLabel: text(), metric: .nps))
        case 2:
            return .rating(
                .init(
                    min: int(0...1), max: int(2...10), maxLabel: chance() ? text() : nil,
                    abstain: chance() ? label() : nil))
        case let kind:
            let count = int(0...6) == 0 ? 50 : int(1...6)
            let options = (0..<count).map { Question.Option(id: "o\($0)", label: label()) }
            guard kind == 3 else { return .choice(.init(options: options, other: chance())) }
            let maxSelections = chance() ? int(1...count) : nil
            return .choice(
                .init(
                    options: options, multiple: true, minSelections: chance() ? 0 : int(1...(maxSelections ?? count)),
                    maxSelections: maxSelections, other: chance()))
        }
    }

    /// Valid answers to a form. Some questions are skipped, each in one of the possible notations.
    public mutating func answers(to definition: FormDefinition) -> JSONValue {
        if definition.questions.contains(where: { $0.showIf != nil }) { return conditionalAnswers(to: definition) }
        return .object(
            definition.questions.compactMap { question in
                if !question.required, int(0...3) == 0 {
                    return chance() ? nil : JSONValue.Member(question.key, skip(question))
                }
                return JSONValue.Member(question.key, answer(to: question))
            }.shuffled(using: &self))
    }

    mutating func skip(_ question: Question) -> JSONValue {
        switch question.kind {
        case .text where chance(): .string(" \n")
        case .choice(let choice) where choice.multiple && chance(): .array([])
        default: .null
        }
    }

    public mutating func answer(to question: Question) -> JSONValue {
        switch question.kind {
        case .text: return .string(text())
        case .rating(let rating) where rating.abstain != nil && int(0...3) == 0: return .string("abstain")
        case .rating(let rating): return JSONValue(int(rating.min...rating.max))
        case .choice(let choice) where choice.multiple:
            var selectable = choice.options.map { JSONValue.string($0.id) }
            if choice.other { selectable.append(.object([.init("other", .string(text()))])) }
            let most = min(selectable.count, choice.maxSelections ?? selectable.count)
            let count = int(max(1, choice.minSelections)...most)
            return .array(Array(selectable.shuffled(using: &self).prefix(count)))
        case .choice(let choice):
            if choice.other, chance() { return .object([.init("other", .string(text()))]) }
            return .string(one(of: choice.options).id)
        }
    }
}
