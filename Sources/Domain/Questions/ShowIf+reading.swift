import StrictJSON

extension ShowIf {
    /// A condition with the JSON pointer of each test.
    typealias Located = (condition: ShowIf, pointers: [String])

    private static let comparisons = ["is", "isNot", "atLeast", "atMost", "answered"]

    /// Parses the shape of a condition. `faults(of:at:among:)` compares it with the other questions.
    static func read(_ name: String, of reader: ObjectReader) -> Located? {
        guard let reader = reader.object(name) else { return nil }
        let joins = Join.allCases.filter { reader.has($0.rawValue) }
        guard let join = joins.first else {
            return readTest(reader).map { (ShowIf($0), [reader.pointer]) }
        }
        if joins.count > 1 || (["question"] + comparisons).contains(where: reader.has) {
            reader.fault(code: "ambiguous-condition", "A condition is one test, or a list of tests as all or as any.")
            return nil
        }
        guard let count = reader.array(join.rawValue)?.count else { return nil }
        guard 1...Limits.conditionTests ~= count else {
            reader.fault(
                at: join.rawValue, code: count == 0 ? "required" : "too-many",
                "A condition has from 1 to \(Limits.conditionTests) tests.")
            return nil
        }
        guard let elements = reader.objects(join.rawValue) else { return nil }
        let tests = elements.compactMap { element in readTest(element).map { ($0, element.pointer) } }
        return tests.count == elements.count ? (ShowIf(join, tests.map(\.0)), tests.map(\.1)) : nil
    }

    private static func readTest(_ reader: ObjectReader) -> Test? {
        let question = reader.requiredString("question")
        let given = comparisons.filter(reader.has)
        guard given.count == 1 else {
            reader.fault(
                code: given.isEmpty ? "required" : "ambiguous-condition",
                "A test has exactly one of is, isNot, atLeast, atMost and answered.")
            return nil
        }
        let comparison: Comparison? =
            switch given[0] {
            case "is": readValue("is", of: reader).map { .equals($0) }
            case "isNot": readValue("isNot", of: reader).map { .differs($0) }
            case "atLeast": reader.int("atLeast").map { .atLeast($0) }
            case "atMost": reader.int("atMost").map { .atMost($0) }
            default: reader.bool("answered").map { .answered($0) }
            }
        guard let question, let comparison else { return nil }
        return Test(question, comparison)
    }

    private static func readValue(_ name: String, of reader: ObjectReader) -> Value? {
        switch reader.value(name) {
        case .number: return reader.int(name).map { .rating($0) }
        case .string: return reader.string(name).map { .option($0) }
        default:
            reader.fault(.malformed, at: name, code: "wrong-type", "An option's id or a rating is expected here.")
            return nil
        }
    }

    /// Returns the faults of a question's condition: tests of itself, of later or unknown questions, and tests that do
    /// not fit the kind of the question whose answer they test. As only earlier answers can be tested, conditions never
    /// form a ring.
    ///
    /// - Parameters:
    ///   - index: The position of the question.
    ///   - questions: All questions of the form in their order, by position; nil for those that have faults.
    ///   - positions: The position of each key.
    static func faults(
        of located: Located, at index: Int, among questions: [Question?], positions: [String: Int]
    ) -> [Fault] {
        zip(located.condition.tests, located.pointers).flatMap { test, pointer -> [Fault] in
            func fault(_ member: String, _ code: String, _ detail: String) -> [Fault] {
                [Fault(.invalid, at: "\(pointer)/\(member)", code: code, detail)]
            }
            guard let position = positions[test.question] else {
                return fault("question", "unknown-question", "The form has no question with this key.")
            }
            if position == index {
                return fault("question", "condition-on-itself", "A question cannot depend on its own answer.")
            }
            if position > index {
                return fault(
                    "question", "condition-on-later", "A question can depend only on questions that precede it.")
            }
            return questions[position].flatMap { $0.fault(of: test.comparison, at: pointer) }.map { [$0] } ?? []
        }
    }
}

extension Question {
    /// Returns the fault of a test of this question's answers; nil if the test fits.
    fileprivate func fault(of comparison: ShowIf.Comparison, at pointer: String) -> Fault? {
        func fault(_ member: String, _ code: String, _ detail: String) -> Fault {
            Fault(.invalid, at: "\(pointer)/\(member)", code: code, detail)
        }
        let (member, value): (String, ShowIf.Value)
        switch comparison {
        case .answered: return nil
        case .equals(let given): (member, value) = ("is", given)
        case .differs(let given): (member, value) = ("isNot", given)
        case .atLeast(let rating): (member, value) = ("atLeast", .rating(rating))
        case .atMost(let rating): (member, value) = ("atMost", .rating(rating))
        }
        switch (kind, value) {
        case (.text, _):
            return fault(member, "condition-on-text", "Of a text, only whether it was answered can be tested.")
        case (.rating(let rating), .rating(let number)):
            guard !(rating.min...max(rating.min, rating.max)).contains(number) else { return nil }
            return fault(member, "out-of-range", "The ratings go from \(rating.min) to \(rating.max).")
        case (.rating(let rating), .option(Limits.abstention)) where rating.abstain != nil: return nil
        case (.rating, .option): return fault(member, "not-an-option", "A rating is compared with a number.")
        case (.choice, .rating): return fault(member, "not-a-rating", "A choice is compared with the id of an option.")
        case (.choice(let choice), .option(let id)):
            guard !choice.buckets.contains(where: { $0.id == id }) else { return nil }
            return fault(member, "unknown-option", "The question has no such option.")
        }
    }
}
