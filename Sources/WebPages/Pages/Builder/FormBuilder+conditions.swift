import Domain
import Foundation
import StrictJSON

extension FormBuilder {
    /// A test of the answer to another question, as chosen in the fields of the page.
    struct Test: Equatable {
        /// The key of the question, or its mark if it has no key yet.
        var question: String
        /// The comparison, and the rating or option with which the answer is compared: `atLeast:4`, `is:demo`,
        /// `answered`. An option without an id is named by its mark.
        var check: String

        static let maxCount = 20
    }

    /// Marks stand for the keys of questions and the ids of options that get them when the form is saved. Keys and ids
    /// never begin like this, so tests can refer to either.
    static func isMark(_ text: String) -> Bool { text.hasPrefix("~") }

    /// Performs the action of a button of a condition: `if-add:2`, `if-pick:2:0`, `if-remove:2:0`. Nil if nothing
    /// changes.
    mutating func applyToCondition(_ action: String, _ index: Int, _ test: Int?) -> Effect? {
        mark()
        let tests = questions[index].tests
        if action == "if-add" {
            guard index > 0, tests.count < Test.maxCount else { return nil }
            // The nearest question before it that is not a text, since of a text there is little to test.
            let tested = testedQuestions(before: index)
            guard let target = tested.last(where: { questions[$0.index].kind != "text" }) ?? tested.last else {
                return nil
            }
            questions[index].tests.append(
                Test(question: target.key, check: questions[target.index].proposedCheck))
            return Effect(focus: .condition(question: index, test: tests.count), message: "said-if-added")
        }
        guard let test, tests.indices.contains(test) else { return nil }
        switch action {
        case "if-pick":
            if let target = question(of: tests[test]), !questions[target].checks.contains(tests[test].check) {
                questions[index].tests[test].check = questions[target].proposedCheck
            }
            return Effect(focus: .condition(question: index, test: test), message: "said-if-picked")
        case "if-remove":
            questions[index].tests.remove(at: test)
            let next = min(test, tests.count - 2)
            return Effect(
                focus: next < 0 ? .button("if-add:\(index)") : .condition(question: index, test: next),
                message: "said-if-removed")
        default: return nil
        }
    }

    /// Marks all questions and options if a question has a condition.
    mutating func markIfNeeded() {
        if questions.contains(where: { !$0.tests.isEmpty }) { mark() }
    }

    /// Gives each question without a key, and each option without an id, a mark by which tests refer to it.
    private mutating func mark() {
        // A mark with a higher number was not made here.
        var last =
            (questions.map(\.key) + questions.flatMap { $0.options.map(\.id) })
            .compactMap { Self.isMark($0) ? Int($0.dropFirst()) : nil }.filter((0..<Self.maxMark).contains).max() ?? 0
        func next() -> String {
            last += 1
            return "~\(last)"
        }
        for index in questions.indices {
            if questions[index].key.isEmpty { questions[index].key = next() }
            for option in questions[index].options.indices where questions[index].options[option].id.isEmpty {
                questions[index].options[option].id = next()
            }
        }
    }

    private static let maxMark = 1_000_000
    private static let maxSearchedTests = 60

    /// The number of options, and of twenty for each test of a condition, which offers many choices.
    var optionsAndTests: Int { questions.reduce(0) { $0 + $1.options.count + 20 * $1.tests.count } }

    /// Whether the service accepts a test: its question precedes this one, and still has the option.
    func isPossible(_ test: Test, of index: Int) -> Bool {
        testedQuestions(before: index).first { $0.key == test.question }
            .map { questions[$0.index].checks.contains(test.check) } ?? false
    }

    /// What a condition can test: each earlier question, or the statements of a grid, with their keys.
    func testedQuestions(before index: Int) -> [(index: Int, key: String, statement: Int?)] {
        questions[..<index].indices.flatMap { index -> [(index: Int, key: String, statement: Int?)] in
            let question = questions[index]
            guard question.kind == "grid" else { return [(index, question.key, nil)] }
            return question.sentOptions.map { (index, question.options[$0].id, $0) }
        }
    }

    /// The question that a test is about, or the grid of the statement.
    func question(of test: Test) -> Int? {
        testedQuestions(before: questions.count).first { $0.key == test.question }?.index
    }

    /// The indices of questions that nobody can be asked. Empty if the form has faults or very many conditions.
    var neverAsked: [Int] {
        // With more tests the search could take too long for one request.
        guard 1...Self.maxSearchedTests ~= questions.reduce(0, { $0 + $1.tests.count }),
            let json = definition(zone: .gmt)["questions"],
            let read = try? FormDefinition.readQuestions(json)
        else { return [] }
        let (keys, groups) = (NeverAsked.keys(in: read), Domain.Question.groups(read))
        guard groups.count == questions.count else { return [] }
        return groups.indices.filter { groups[$0].contains { keys.contains($0.key) } }
    }
}

extension FormBuilder.Question {
    /// Whether the question was never saved.
    var isNew: Bool { key.isEmpty || FormBuilder.isMark(key) }

    /// The comparison with which a condition begins: the detractors of a recommendation, the lower part of another scale,
    /// or the first option.
    var proposedCheck: String {
        guard ["rating", "grid"].contains(kind), let low = FormBuilder.integer(min), let high = highestPoint, low < high
        else { return checks.first ?? "answered" }
        let check = "atMost:\(isNPS ? 6 : low + (high - low) * 2 / 5)"
        return checks.contains(check) ? check : checks.first ?? "answered"
    }

    /// The highest point of a scale. The labels of a grid say how many there are.
    private var highestPoint: Int? {
        let labels = kind == "grid" ? Self.labels(in: pointLabels).count : 0
        return labels == 0 ? FormBuilder.integer(max) : FormBuilder.integer(min).map { $0 + labels - 1 }
    }

    /// The comparisons that fit the question, or each statement of a grid, in the order in which the page offers them.
    var checks: [String] {
        var checks: [String] = []
        switch kind {
        case "rating", "grid":
            let low = Swift.min(Swift.max(FormBuilder.integer(min) ?? 1, 0), 1)
            let ratings = low...Swift.min(Swift.max(highestPoint ?? 5, low + 1), 10)
            checks = ["atMost", "atLeast", "is", "isNot"].flatMap { name in ratings.map { "\(name):\($0)" } }
            if !abstain.isEmpty { checks += ["is", "isNot"].map { "\($0):\(Limits.abstention)" } }
        case "choice":
            let ids = sentOptions.map { options[$0].id } + (other ? [FormSheet.other] : [])
            checks = ["is", "isNot"].flatMap { name in ids.map { "\(name):\($0)" } }
        default: break
        }
        return checks + ["answered", "skipped"]
    }
}

// MARK: The stored form

extension FormBuilder.Test {
    init?(_ json: JSONValue) {
        guard let question = json["question"]?.string else { return nil }
        for member in json.members ?? [] where member.name != "question" {
            if let isAnswered = member.value.bool {
                self.init(question: question, check: isAnswered ? "answered" : "skipped")
            } else {
                guard let value = member.value.string ?? member.value.int.map(String.init) else { return nil }
                self.init(question: question, check: "\(member.name):\(value)")
            }
            return
        }
        return nil
    }

    /// The test as the API reads it.
    ///
    /// - Parameters:
    ///   - key: Returns the key of a question, for its key or mark.
    ///   - option: Returns the id of an option of that question, for its id or mark.
    func json(key: (String) -> String, option: (String) -> String) -> JSONValue {
        let parts = check.split(separator: ":", maxSplits: 1).map(String.init)
        let name = parts.first ?? ""
        let comparison: JSONValue.Member
        if parts.count == 2 {
            comparison = .init(name, Int(parts[1]).map { JSONValue($0) } ?? .string(option(parts[1])))
        } else {
            comparison = .init("answered", .bool(name != "skipped"))
        }
        return .object([.init("question", .string(key(question))), comparison])
    }
}
