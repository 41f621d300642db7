/// The terms in the answers to a text question.
public struct Terms: Codable, Sendable, Equatable {
    public struct Term: Codable, Sendable, Equatable {
        /// The most frequent spelling.
        public var term: String
        /// The number of occurrences.
        public var count: Int
        /// The number of answers that contain the term, among those that were read.
        public var answers: Int

        public init(term: String, count: Int, answers: Int) {
            self.term = term
            self.count = count
            self.answers = answers
        }
    }

    /// The question's key.
    public var key: String
    /// The number of answers that were read.
    public var answers: Int
    /// The number of all answers, including hidden ones. Encoded as `of`.
    public var total: Int
    /// Whether only a sample of the answers was read.
    public var sampled: Bool
    /// Ordered by the number of answers, descending.
    public var items: [Term]

    private enum CodingKeys: String, CodingKey {
        case key, answers
        case total = "of"
        case sampled, items
    }

    public init(key: String, answers: Int, total: Int, sampled: Bool, items: [Term]) {
        self.key = key
        self.answers = answers
        self.total = total
        self.sampled = sampled
        self.items = items
    }
}
