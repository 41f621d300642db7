/// The share of people who answered among those who could have.
public struct ResponseRate: Sendable, Equatable {
    public enum Base: String, Sendable {
        case headcount, attended
        /// Several rounds of which some have a head count and others only an attendance.
        case mixed
    }

    public var submissions: Int
    public var people: Int
    public var base: Base

    public var rate: Double { Double(submissions) / Double(people) }

    /// The rate relative to the head count or, without one, to the attendance. Nil if neither is above 0, or if people
    /// may answer more than once.
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

    /// The rate over several rounds, from the rates of those that have one. Nil if no round has one.
    public init?(of rounds: [ResponseRate]) {
        guard let first = rounds.first else { return nil }
        submissions = rounds.reduce(0) { $0 + $1.submissions }
        people = rounds.reduce(0) { $0 + $1.people }
        base = rounds.allSatisfy { $0.base == first.base } ? first.base : .mixed
    }
}
