/// The words of a text question's answers.
public struct Terms: Codable, Sendable, Equatable {
    public struct Term: Codable, Sendable, Equatable {
        /// In its most frequent spelling.
        public var term: String
        /// How often it occurs.
        public var count: Int
        /// In how many of the answers that were read.
        public var answers: Int

        public init(term: String, count: Int, answers: Int) {
            self.term = term
            self.count = count
            self.answers = answers
        }
    }

    /// The question's.
    public var key: String
    /// Answers that were read.
    public var answers: Int
    /// Answers there are, hidden ones too.
    public var of: Int
    /// Not all were read that could have been.
    public var sampled: Bool
    /// Those in most answers first.
    public var items: [Term]

    public init(key: String, answers: Int, of: Int, sampled: Bool, items: [Term]) {
        self.key = key
        self.answers = answers
        self.of = of
        self.sampled = sampled
        self.items = items
    }
}
