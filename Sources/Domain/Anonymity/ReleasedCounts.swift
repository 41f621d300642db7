/// The states of an anonymous form that somebody was shown while it was open, for each question set by how many
/// submissions they had: each has all that came before it (`docs/analysis.md`).
public struct ReleasedCounts: Sendable {
    /// When answers came or went: so many submissions of their question set were on their way to be shown then, and what is
    /// shown of more knows of it.
    public struct Arrival: Sendable, Hashable {
        public var questionSet: Int
        public var step: Int

        public init(questionSet: Int, step: Int) {
            self.questionSet = questionSet
            self.step = step
        }
    }

    /// Between two states that were seen; all that was seen in none of them came in the last one.
    enum Period: Hashable, Sendable {
        case before(questionSet: Int, state: Int)
        case last
    }

    private let states: [Int: [Int]]

    /// - Parameter states: by question set, in any order.
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

    /// Where somebody is in one sum of readings and not in another: from when each of their answers came to when it went.
    ///
    /// Answers that were corrected in one question set hold together all the periods in which they came; those that went
    /// from one set to another hold some in each, apart from each other.
    ///
    /// - Parameter arrivals: of the answers in their order, and of a withdrawal; what goes to another set is followed by when
    ///   it went. The last is in the last part.
    func course(of arrivals: [Arrival]) -> [[Period]] {
        var parts: [[Period]] = []
        for (index, arrival) in arrivals.enumerated() {
            var part = [period(of: arrival)]
            if index + 1 < arrivals.count, arrivals[index + 1].questionSet == arrival.questionSet {
                part.append(period(of: arrivals[index + 1]))
            }
            // Where they have a period in common they are one.
            while let other = parts.firstIndex(where: { !Set($0).isDisjoint(with: part) }) {
                part = parts.remove(at: other) + part
            }
            parts.append(part)
        }
        return parts
    }
}
