/// The share of people who answered among those who could have.
public struct ResponseRate: Sendable, Equatable {
    public enum Base: String, Sendable {
        case headcount, attended
        /// Over several rounds: the head count of some, the attendance of others.
        case mixed
    }

    public var submissions: Int
    public var people: Int
    public var base: Base

    public var rate: Double { Double(submissions) / Double(people) }

    /// Relative to the head count, else to the attendance; nil if neither is above 0, or if anyone may answer
    /// repeatedly.
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

    /// Over several rounds, without those that have no rate; nil if none has one.
    public init?(of rounds: [ResponseRate]) {
        guard let first = rounds.first else { return nil }
        submissions = rounds.reduce(0) { $0 + $1.submissions }
        people = rounds.reduce(0) { $0 + $1.people }
        base = rounds.allSatisfy { $0.base == first.base } ? first.base : .mixed
    }
}
