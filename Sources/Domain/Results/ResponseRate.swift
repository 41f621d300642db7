/// How many of those who might have answered did.
public struct ResponseRate: Sendable, Equatable {
    public enum Base: String, Sendable {
        case headcount, attended
        /// Over several rounds: the head count of some, those who attended of others.
        case mixed
    }

    public var submissions: Int
    public var people: Int
    public var base: Base

    public var rate: Double { Double(submissions) / Double(people) }

    /// Of the head count, else of those who attended; nil where neither is above 0, and where anyone may answer often.
    public init?(submissions: Int, headcount: Int?, attended: Int, onceOnly: Bool) {
        guard onceOnly else { return nil }
        self.submissions = submissions
        if let headcount, headcount > 0 {
            (people, base) = (headcount, .headcount)
        } else if attended > 0 {
            (people, base) = (attended, .attended)
        } else {
            return nil
        }
    }

    /// Of several rounds together, those without a rate left out; nil if none has one.
    public init?(of rounds: [ResponseRate]) {
        guard let first = rounds.first else { return nil }
        submissions = rounds.reduce(0) { $0 + $1.submissions }
        people = rounds.reduce(0) { $0 + $1.people }
        base = rounds.allSatisfy { $0.base == first.base } ? first.base : .mixed
    }
}
