import Domain
import StrictJSON

/// Questions that depend on answers.
extension SeededNumbers {
    /// A condition on some of these questions.
    public mutating func condition(on questions: [Question]) -> ShowIf {
        ShowIf(
            one(of: ShowIf.Join.allCases),
            (0..<int(1...3)).map { _ in
                let question = one(of: questions)
                return ShowIf.Test(question.key, comparison(with: question))
            })
    }

    private mutating func comparison(with question: Question) -> ShowIf.Comparison {
        if int(0...4) == 0 { return .answered(chance()) }
        switch question.kind {
        case .text: return .answered(chance())
        case .rating(let rating) where rating.abstain != nil && int(0...3) == 0:
            return chance() ? .equals(.option("abstain")) : .differs(.option("abstain"))
        case .rating(let rating):
            let value = int(rating.min...rating.max)
            return one(of: [.equals(.rating(value)), .differs(.rating(value)), .atLeast(value), .atMost(value)])
        case .choice(let choice):
            let id = one(of: choice.options.map(\.id) + (choice.other ? ["other"] : []))
            return chance() ? .equals(.option(id)) : .differs(.option(id))
        }
    }

    /// Valid answers, without those to questions that are not asked.
    mutating func conditionalAnswers(to definition: FormDefinition) -> JSONValue {
        let form = PreparedForm(definition)
        var members: [JSONValue.Member] = []
        for question in definition.questions {
            let given = Answers.read(stored: .object(members.filter { !Self.isSkip($0.value) }), in: form)
            if let showIf = question.showIf, !showIf.holds({ given[$0] }) {
                if int(0...3) == 0 { members.append(.init(question.key, .null)) }
            } else if question.required || int(0...3) > 0 {
                members.append(.init(question.key, answer(to: question)))
            } else if chance() {
                members.append(.init(question.key, skip(question)))
            }
        }
        return .object(members.shuffled(using: &self))
    }

    private static func isSkip(_ value: JSONValue) -> Bool {
        switch value {
        case .null: true
        case .string(let text): text.allSatisfy(\.isWhitespace)
        case .array(let elements): elements.isEmpty
        default: false
        }
    }

    /// Changes some conditions of an edited form, and removes those that the edit has made invalid.
    mutating func editConditions(_ definition: inout FormDefinition) {
        for index in definition.questions.indices.dropFirst() where int(0...3) == 0 {
            definition.questions[index].showIf =
                chance() ? condition(on: Array(definition.questions[..<index])) : nil
        }
        shareConditions(in: &definition.questions)
        while let problem = Self.problem(definition) {
            let groups = Question.groups(definition.questions)
            for fault in problem.faults {
                let index = fault.pointer.split(separator: "/").dropFirst().first.flatMap { Int($0) }
                guard let index, groups.indices.contains(index) else { continue }
                // A grid is one element of the list.
                let start = groups[..<index].reduce(0) { $0 + $1.count }
                for place in start..<start + groups[index].count { definition.questions[place].showIf = nil }
            }
        }
    }

    private static func problem(_ definition: FormDefinition) -> Problem? {
        do {
            _ = try FormDefinition(json: definition.json)
            return nil
        } catch {
            return error.faults.contains { $0.pointer.contains("/showIf") } ? error : nil
        }
    }
}
