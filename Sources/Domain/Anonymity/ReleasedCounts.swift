/// The states of an open anonymous form that were read, as numbers of submissions for each question set: each state
/// contains all submissions that came before it (`docs/analysis.md`).
public struct ReleasedCounts: Sendable {
    /// When answers arrived or were removed: the number of submissions of their question set that were pending at that
    /// time. Larger released counts include them.
    public struct Arrival: Sendable, Hashable {
        public var questionSet: Int
        public var step: Int

        public init(questionSet: Int, step: Int) {
            self.questionSet = questionSet
            self.step = step
        }
    }

    /// The period between two states that were read. Submissions that no state contains arrived in the last period.
    enum Period: Hashable, Sendable {
        case before(questionSet: Int, state: Int)
        case last
    }

    private let states: [Int: [Int]]

    /// - Parameter states: By question set, in any order.
    public init(_ states: [Int: [Int]] = [:]) { self.states = states.mapValues { $0.sorted() } }

    public var isEmpty: Bool { states.isEmpty }

    func period(of arrival: Arrival) -> Period {
        guard let states = states[arrival.questionSet] else { return .last }
        var (low, high) = (0, states.count)
        while low < high {
            let middle = (low + high) / 2
            if states[middle] > arrival.step { high = middle } else { low = middle + 1 }
        }
        return low < states.count ? .before(questionSet: arrival.questionSet, state: low) : .last
    }

    /// Returns the periods that a submission connects: between the arrival and the removal of each of its answers, some
    /// readings contain it and others do not.
    ///
    /// Answers that were corrected within one question set connect all the periods in which they arrived; those that
    /// moved to another set connect some in each set, independently.
    ///
    /// - Parameter arrivals: Of the answers in their order, and of a withdrawal; an arrival that moved to another set
    ///   is followed by its removal. The last one is in the last part.
    func course(of arrivals: [Arrival]) -> [[Period]] {
        var parts: [[Period]] = []
        for (index, arrival) in arrivals.enumerated() {
            var part = [period(of: arrival)]
            if index + 1 < arrivals.count, arrivals[index + 1].questionSet == arrival.questionSet {
                part.append(period(of: arrivals[index + 1]))
            }
            // Parts that share a period are merged.
            while let other = parts.firstIndex(where: { !Set($0).isDisjoint(with: part) }) {
                part = parts.remove(at: other) + part
            }
            parts.append(part)
        }
        return parts
    }
}
