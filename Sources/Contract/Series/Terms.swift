/// The terms in the answers to a text question.
public struct Terms: Codable, Sendable, Equatable {
    public struct Term: Codable, Sendable, Equatable {
        /// The most frequent spelling.
        public var term: String
        /// The number of occurrences.
        public var count: Int
        /// The number of answers, of those read, that contain the term.
        public var answers: Int

        public init(term: String, count: Int, answers: Int) {
            self.term = term
            self.count = count
            self.answers = answers
        }
    }

    /// The question's key.
    public var key: String
    /// The number of answers read.
    public var answers: Int
    /// The number of all answers, hidden ones included.
    public var of: Int
    /// Whether only a sample of the answers was read.
    public var sampled: Bool
    /// By number of answers, descending.
    public var items: [Term]

    public init(key: String, answers: Int, of: Int, sampled: Bool, items: [Term]) {
        self.key = key
        self.answers = answers
        self.of = of
        self.sampled = sampled
        self.items = items
    }
}
