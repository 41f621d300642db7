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

    public init(questions: [Question], identity: FormDefinition.Identity = .open) {
        self.questions = questions
        self.identity = identity
        indices = Dictionary(questions.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        options = questions.map { question in
            guard case .choice(let choice) = question.kind else { return [] }
            return Set(choice.options.map(\.id))
        }
        layout = TallyLayout(questions)
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

    /// The counts that one submission increments. For each question of this version, these are either `#skipped`, or
    /// `#answered` and the chosen buckets.
    public func increments(_ answers: Answers) -> TallyIncrements {
        var increments = TallyIncrements(self)
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
        for (index, question) in questions.enumerated() where question.required && slots[index] == nil {
            check.key = question.key
            if !check.failed.contains(question.key) { check.fault("required", "This question must be answered.") }
        }
        guard check.faults.isEmpty else { throw Problem(check.faults) }
        return Answers(slots.compactMap { $0 })
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
