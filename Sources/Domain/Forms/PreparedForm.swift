import StrictJSON

/// A definition with lookup tables built once, so that validating a submission takes time proportional to its length.
public final class PreparedForm: Sendable {
    public let questions: [Question]
    /// Who may answer this version, which determines the ids of its submissions.
    public let identity: FormDefinition.Identity
    let indices: [String: Int]
    /// The option ids of each choice, at the question's index.
    let options: [Set<String>]
    /// The questions' indices in the order of their keys.
    let sorted: [Int]

    public init(questions: [Question], identity: FormDefinition.Identity = .open) {
        self.questions = questions
        self.identity = identity
        indices = Dictionary(questions.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        options = questions.map { question in
            guard case .choice(let choice) = question.kind else { return [] }
            return Set(choice.options.map(\.id))
        }
        sorted = questions.indices.sorted { questions[$0].key < questions[$1].key }
    }

    public convenience init(_ definition: FormDefinition) {
        self.init(questions: definition.questions, identity: definition.identity)
    }

    public func question(_ key: String) -> Question? {
        indices[key].map { questions[$0] }
    }

    func kind(of key: String) -> Question.KindName? { question(key)?.kind.name }

    func position(of key: String) -> Int { indices[key] ?? questions.count }
}
