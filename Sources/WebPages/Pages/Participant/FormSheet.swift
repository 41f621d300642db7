import Contract
import Domain
import StrictJSON

/// The answers that a participant has filled in, as typed. They stay on the page if the submission fails.
struct FormSheet: Sendable {
    /// The value of the option for the participant's own answer.
    static let other = "other"

    /// The form version that the participant saw.
    var version: Int
    /// The idempotency key of the submission.
    var key: String
    /// Chosen options and ratings, by question key.
    private(set) var chosen: [String: [String]] = [:]
    /// Text answers, and the participant's own answers to choices, by question key.
    private(set) var texts: [String: String] = [:]
    var faults: [ProblemBody.FaultBody] = []
    /// The part of the form that is shown without JavaScript, if its questions depend on answers (`StagedForm`).
    var stage = 0
    private let questions: [QuestionBody]

    var questionKeys: [String] { questions.map(\.key) }

    init(_ form: PublicForm) {
        version = form.version
        key = SubmitToken.make()
        questions = form.questions
    }

    init(_ form: PublicForm, from fields: FormFields) {
        self.init(form)
        if let given = fields["version"].flatMap({ Int($0) }) { version = given }
        key = SubmitToken.given(fields)
        stage = fields["at"].flatMap { Int($0) } ?? 0
        for question in questions {
            let name = question.key
            texts[name] = fields["t.\(name)"]?.nonEmpty
            // Repeated values are dropped. The page sends none, and each `other` would add a copy of the participant's
            // own answer.
            var known: Set<String> = []
            let values = fields.values("a.\(name)").filter { !$0.isEmpty && known.insert($0).inserted }
            if !values.isEmpty { chosen[name] = values }
            // The participant's own answer counts even if its option is not ticked, unless another option is chosen and
            // the question allows only one.
            if question.kind == "choice", texts[name] != nil, question.multiple == true || values.isEmpty,
                !values.contains(Self.other)
            {
                chosen[name] = values + [Self.other]
            }
        }
    }

    init(_ form: PublicForm, from submission: Submission) {
        self.init(form)
        for (name, answer) in submission.answers {
            switch answer {
            case .string(let text) where questions.first { $0.key == name }?.kind == "text": texts[name] = text
            case .array(let values): for value in values { add(value, to: name) }
            default: add(answer, to: name)
            }
        }
    }

    private mutating func add(_ answer: JSONValue, to name: String) {
        if let own = answer["other"]?.string {
            chosen[name, default: []].append(Self.other)
            texts[name] = own
        } else if let value = answer.int.map(String.init) ?? answer.string {
            chosen[name, default: []].append(value)
        }
    }

    /// Gives the next submission a new idempotency key, so that it is not a replay.
    mutating func renewKey() { key = SubmitToken.make() }

    var isEmpty: Bool { chosen.isEmpty && texts.isEmpty }

    func isChosen(_ value: String, of question: QuestionBody) -> Bool {
        chosen[question.key]?.contains(value) == true
    }

    /// Removes the answers to all other questions.
    mutating func keep(_ keys: Set<String>) {
        chosen = chosen.filter { keys.contains($0.key) }
        texts = texts.filter { keys.contains($0.key) }
    }

    /// The body of a submission.
    var submission: JSONValue {
        let answers = questions.compactMap { question in
            answer(to: question).map { JSONValue.Member(question.key, $0) }
        }
        return .object([.init("version", JSONValue(version)), .init("answers", .object(answers))])
    }

    private func answer(to question: QuestionBody) -> JSONValue? {
        let values = chosen[question.key] ?? []
        switch question.kind {
        case "text": return texts[question.key].map { .string($0) }
        case "rating": return values.first.map { value in Int(value).map { JSONValue($0) } ?? .string(value) }
        default:
            let answers = values.map { value -> JSONValue in
                guard value == Self.other, question.other == true else { return .string(value) }
                return .object([.init("other", .string(texts[question.key] ?? ""))])
            }
            return question.multiple == true ? answers.isEmpty ? nil : .array(answers) : answers.first
        }
    }

    /// Each answered question with its answer as text.
    func answers(_ form: PublicForm) -> [TypedAnswers.Answer] {
        form.questions.compactMap { question in
            let labels = (chosen[question.key] ?? []).map { value in
                if value == Self.other, question.other == true { return texts[question.key] ?? "" }
                if value == Limits.abstention, let label = question.abstain { return label }
                return question.options?.first { $0.id == value }?.label ?? value
            }
            let text =
                question.kind == "text" ? texts[question.key] : labels.isEmpty ? nil : labels.joined(separator: ", ")
            return text.map { TypedAnswers.Answer(question: question.title, answer: $0) }
        }
    }
}
