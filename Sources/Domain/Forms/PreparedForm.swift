import StrictJSON

/// A definition with lookup tables, which are built once. Validating a submission then takes time proportional to its
/// length.
public final class PreparedForm: Sendable {
    public let questions: [Question]
    /// Who may answer this version, which determines the ids of its submissions.
    public let identity: FormDefinition.Identity
    let indices: [String: Int]
    /// The option ids of each choice, at the question's index.
    let options: [Set<String>]
    private let layout: TallyLayout
    /// The condition of each question, at the question's index. Nil if no question has one.
    private let conditions: [AskedCondition?]?

    public init(questions: [Question], identity: FormDefinition.Identity = .open) {
        self.questions = questions
        self.identity = identity
        indices = Dictionary(questions.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        options = questions.map { question in
            guard case .choice(let choice) = question.kind else { return [] }
            return Set(choice.options.map(\.id))
        }
        layout = TallyLayout(questions)
        let indices = indices
        conditions =
            questions.contains { $0.showIf != nil }
            ? questions.map { question in question.showIf.map { AskedCondition($0, indices) } } : nil
    }

    public convenience init(_ definition: FormDefinition) {
        self.init(questions: definition.questions, identity: definition.identity)
    }

    public func question(_ key: String) -> Question? {
        indices[key].map { questions[$0] }
    }
}

extension PreparedForm {
    /// The keys of all counts that submissions to this version can increment, sorted.
    public var tallyKeys: [TallyKey] { layout.keys }

    /// Whether a submission can change enough counts to take the database several milliseconds.
    public var isLarge: Bool { tallyKeys.count > Self.maxSmallCount }

    /// The largest number of counts of a form that is not large.
    public static let maxSmallCount = 500

    /// The counts that one submission increments. For each question of this version that was asked, these are either
    /// `#skipped`, `#abstained`, or `#answered` and the chosen buckets.
    public func increments(_ answers: Answers) -> TallyIncrements {
        var increments = TallyIncrements(self)
        if let conditions {
            let slots = slots(answers)
            for index in questions.indices {
                guard slots[index] != nil || conditions[index]?.holds(slots) ?? true else { continue }
                layout.add(slots[index]?.answer, to: index, &increments)
            }
            return increments
        }
        // Answers are nearly always in the order of the questions.
        var next = answers.entries.startIndex
        for (index, question) in questions.enumerated() {
            if next < answers.entries.endIndex, answers.entries[next].key == question.key {
                layout.add(answers.entries[next].answer, to: index, &increments)
                next += 1
            } else {
                layout.add(answers[question.key], to: index, &increments)
            }
        }
        return increments
    }

    /// The keys of the counts that one submission increments, sorted.
    public func tally(_ answers: Answers) -> [TallyKey] { increments(answers).keys }
}

extension PreparedForm {
    /// Validates a submission's `answers`. Throws all errors together, as 422 with pointers below `/answers`.
    ///
    /// Null, an empty list and a blank text count as skipped. Other texts are stored as they were sent.
    public func answers(from json: JSONValue?) throws(Problem) -> Answers {
        var check = AnswerCheck()
        var slots = [Answers.Entry?](repeating: nil, count: questions.count)
        switch json {
        case .object(let members):
            for member in members {
                if check.isFull { break }
                check.key = member.name
                guard member.name.utf8.count <= Limits.keyLength, let index = indices[member.name] else {
                    check.fault("unknown-question", "The form has no such question.")
                    continue
                }
                slots[index] = entry(at: index, member.value, &check)
            }
        case nil, .null: break
        default:
            throw Problem([Fault(.malformed, at: "/answers", code: "wrong-type", "An object is expected here.")])
        }
        if let conditions {
            checkAsked(&slots, conditions, &check)
        } else {
            for (index, question) in questions.enumerated() where question.required && slots[index] == nil {
                check.requireAnswer(to: question)
            }
        }
        guard check.faults.isEmpty else { throw Problem(check.faults) }
        return Answers(slots.compactMap { $0 })
    }

    /// Adds a fault for each answer to a question that was not asked, and for each required question that was asked and
    /// not answered. What depends on an answer with a fault is not judged.
    private func checkAsked(
        _ slots: inout [Answers.Entry?], _ conditions: [AskedCondition?], _ check: inout AnswerCheck
    ) {
        var isUnknown = questions.map { check.failed.contains($0.key) }
        for (index, question) in questions.enumerated() {
            if let condition = conditions[index] {
                if condition.indices.contains(where: { isUnknown[$0] }) {
                    isUnknown[index] = true
                    continue
                }
                guard condition.holds(slots) else {
                    // A faulty answer has its own fault.
                    if slots[index] != nil {
                        check.key = question.key
                        check.fault("not-asked", "This question was not asked, because of the answers before it.")
                    }
                    (slots[index], isUnknown[index]) = (nil, false)
                    continue
                }
            }
            if question.required, slots[index] == nil {
                check.requireAnswer(to: question)
                isUnknown[index] = true
            }
        }
    }

    /// The questions that were asked, given the answers to those before them. An answer to a question that was not asked
    /// does not count.
    public func asked(_ answers: Answers) -> Set<String> {
        guard let conditions else { return Set(questions.map(\.key)) }
        var slots = slots(answers)
        var asked: Set<String> = []
        for (index, question) in questions.enumerated() {
            if conditions[index]?.holds(slots) ?? true {
                asked.insert(question.key)
            } else {
                slots[index] = nil
            }
        }
        return asked
    }

    private func slots(_ answers: Answers) -> [Answers.Entry?] {
        var slots = [Answers.Entry?](repeating: nil, count: questions.count)
        for entry in answers.entries { if let index = indices[entry.key] { slots[index] = entry } }
        return slots
    }

    private func entry(at index: Int, _ value: JSONValue, _ check: inout AnswerCheck) -> Answers.Entry? {
        switch value {
        case .null: return nil
        case .array(let elements) where elements.isEmpty: return nil
        default: break
        }
        let question = questions[index]
        switch question.kind {
        case .rating(let rating):
            return check.rating(value, in: rating).map { Answers.Entry(question.key, $0) }
        case .text(let maxLength):
            return check.text(value, maxLength: maxLength).map { Answers.Entry(question.key, $0) }
        case .choice(let choice) where choice.multiple:
            return check.selections(value, of: choice, options[index])
                .map { Answers.Entry(question.key, $0, multiple: true) }
        case .choice(let choice):
            return check.selection(value, of: choice, options[index])
                .map { Answers.Entry(question.key, $0, multiple: false) }
        }
    }
}
