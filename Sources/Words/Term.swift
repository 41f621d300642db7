/// A word as a list of them shows it.
public struct Term: Sendable, Equatable {
    /// Its most frequent spelling.
    public var text: String
    /// How often it occurs.
    public var count: Int
    /// In how many answers.
    public var answers: Int

    public init(text: String, count: Int, answers: Int) {
        self.text = text
        self.count = count
        self.answers = answers
    }
}
