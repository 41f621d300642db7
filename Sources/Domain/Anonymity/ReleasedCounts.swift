/// The states of an open anonymous form that somebody has read (`docs/analysis.md`).
///
/// A state of a question set is identified by the number of submissions in it. It contains all submissions that arrived
/// before it.
public struct ReleasedCounts: Sendable {
    /// The point at which answers arrived or were removed.
    public struct Arrival: Sendable, Hashable {
        public var questionSet: Int
        /// The `pending` number of submissions of the question set at that time. States with more submissions include
        /// the arrival or removal.
        public var step: Int

        public init(questionSet: Int, step: Int) {
            self.questionSet = questionSet
            self.step = step
        }
    }

    /// The period between a state that was read and the previous one, or after the last state. Submissions that no
    /// state contains arrived in the last period.
    ///
    /// The periods of one question set are ordered by time.
    enum Period: Hashable, Comparable, Sendable {
        case before(questionSet: Int, state: Int)
        case last
    }

    private let states: [Int: [Int]]

    /// - Parameter states: The numbers of submissions of the states, by question set and in any order.
    public init(_ states: [Int: [Int]] = [:]) { self.states = states.mapValues { $0.sorted() } }

    public var isEmpty: Bool { states.isEmpty }

    /// The number of periods.
    var periodCount: Int { states.values.reduce(1) { $0 + $1.count } }

    /// Returns the period in which an arrival took place.
    func period(of arrival: Arrival) -> Period {
        guard let states = states[arrival.questionSet] else { return .last }
        var (low, high) = (0, states.count)
        while low < high {
            let middle = (low + high) / 2
            if states[middle] > arrival.step { high = middle } else { low = middle + 1 }
        }
        return low < states.count ? .before(questionSet: arrival.questionSet, state: low) : .last
    }

    /// Returns the periods that a submission connects, in groups. Two periods are connected if answers arrived in one
    /// and were removed in the other, so that some readings contain the answers and others do not.
    ///
    /// Corrections within one question set connect all periods in which answers arrived. A correction that moves the
    /// submission to another question set begins a new group, because the readings of the two sets are independent.
    ///
    /// - Parameter arrivals: The arrivals of the answers in order, and of a withdrawal. Before the first arrival in
    ///   another question set, the list contains the removal from the previous set. The last arrival is in the last
    ///   group.
    func course(of arrivals: [Arrival]) -> [[Period]] {
        var groups: [[Period]] = []
        for (index, arrival) in arrivals.enumerated() {
            var group = [period(of: arrival)]
            if index + 1 < arrivals.count, arrivals[index + 1].questionSet == arrival.questionSet {
                group.append(period(of: arrivals[index + 1]))
            }
            // Groups that share a period are merged.
            while let other = groups.firstIndex(where: { !Set($0).isDisjoint(with: group) }) {
                let merged = groups.remove(at: other)
                group = merged + group.filter { !merged.contains($0) }
            }
            groups.append(group)
        }
        return groups
    }
}
