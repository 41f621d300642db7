import Foundation

/// How the numbers of one round differ from those of the last earlier round that has them, question by question.
///
/// If both forms name the people who answer, the people who answered in both rounds are compared with themselves too.
public struct RoundChanges: Sendable {
    /// The smallest number of people who are compared with themselves. With fewer, the difference would show what single
    /// people answered, and say little.
    public static let minimumPairs = 5

    /// Why nobody is compared with themselves.
    public enum Unpaired: String, Sendable {
        /// One of the forms does not say who answered.
        case notNamed = "not-named"
        /// One of the rounds withholds answers.
        case withheld
        /// Fewer people answered in both rounds than are compared, or those who answered in one of them only are fewer
        /// than the minimum group.
        case tooFew = "too-few"
        /// There are too many answers to read at once.
        case tooMany = "too-many"
    }

    /// The answers of the people who answered in two rounds.
    public enum Pairs: Sendable {
        /// The buckets of each person's answers, by question. Questions without an answer are absent.
        case known([(earlier: [String: [String]], later: [String: [String]])], minimumGroup: Int)
        case unknown(Unpaired)
    }

    /// A number of the round with its change.
    public struct Number: Sendable {
        /// `mean`, `nps`, or the id of an option.
        public var id: String
        public var label: String
        /// The round with which the number is compared.
        public var earlierMeetingID: UUID
        public var earlierRound: Int
        public var value: Double
        /// The change between all answers of both rounds.
        public var change: Difference
        /// The change of those who answered in both.
        public var pairs: PairedDifference?
        /// The p value of the pairs, adjusted for all comparisons.
        public var adjustedP: Double?
        public var unpaired: Unpaired?
    }

    public struct Question: Sendable {
        public var question: Domain.Question
        public var numbers: [Number]
    }

    /// The questions with at least one number that can be compared.
    public var questions: [Question]
    /// The number of p values, for which each is adjusted.
    public var comparisons: Int

    /// - Parameters:
    ///   - trends: The trends of the questions, each of which ends with the round.
    ///   - pairs: The people who answered in an earlier round and in this one, by the earlier meeting.
    public init(_ trends: [Trend], in meetingID: UUID, pairs: [UUID: Pairs]) {
        questions = trends.compactMap { trend in
            let numbers = trend.comparedNumbers(in: meetingID).map { number in
                Self.paired(number, trend.question, pairs[number.earlierMeetingID] ?? .unknown(.notNamed))
            }
            return numbers.isEmpty ? nil : Question(question: trend.question, numbers: numbers)
        }
        let values = questions.flatMap { $0.numbers.compactMap { $0.pairs?.p } }
        comparisons = values.count
        var adjusted = Holm.adjusted(values)[...]
        for question in questions.indices {
            for number in questions[question].numbers.indices
            where questions[question].numbers[number].pairs?.p != nil {
                questions[question].numbers[number].adjustedP = adjusted.popFirst()
            }
        }
    }

    private static func paired(_ number: Number, _ question: Domain.Question, _ pairs: Pairs) -> Number {
        var number = number
        switch pairs {
        case .unknown(let reason): number.unpaired = reason
        case .known(let people, let minimumGroup):
            let key = question.key
            let both = people.compactMap { earlier, later in
                earlier[key].flatMap { old in later[key].map { (earlier: old, later: $0) } }
            }
            // Those who answered in one of the rounds only are the difference between all its answers and the pairs.
            let single = [
                people.count { $0.earlier[key] != nil && $0.later[key] == nil },
                people.count { $0.earlier[key] == nil && $0.later[key] != nil },
            ]
            guard both.count >= max(minimumPairs, minimumGroup),
                single.allSatisfy({ $0 == 0 || $0 >= minimumGroup })
            else {
                number.unpaired = .tooFew
                return number
            }
            let ratings = { both.compactMap { old, new in Int(old[0]).flatMap { x in Int(new[0]).map { (x, $0) } } } }
            number.pairs =
                switch number.id {
                case _ where question.kind.name == .choice:
                    .ofShares(both.map { ($0.earlier.contains(number.id), $0.later.contains(number.id)) })
                case "nps": .ofScores(ratings())
                default: .ofMeans(ratings())
                }
        }
        return number
    }
}

extension Trend {
    /// The numbers of a round with their changes: the score of a recommendation, the mean of other ratings, and the share
    /// of each option. Empty if the last round is not this one, and for a text.
    func comparedNumbers(in meetingID: UUID) -> [RoundChanges.Number] {
        guard question.kind.name != .text, rounds.last?.meetingID == meetingID else { return [] }
        let compared =
            lines.contains { $0.id == "nps" } && question.kind.name == .rating
            ? lines.filter { $0.id == "nps" } : lines
        return compared.compactMap { line in
            guard let point = line.points.last.flatMap(\.self), let change = point.change,
                let earlier = line.points.dropLast().lastIndex(where: { $0 != nil })
            else { return nil }
            return RoundChanges.Number(
                id: line.id, label: line.label, earlierMeetingID: rounds[earlier].meetingID,
                earlierRound: rounds[earlier].round, value: point.value, change: change)
        }
    }

    /// The earlier rounds with which numbers of this round are compared.
    public func comparedMeetings(in meetingID: UUID) -> Set<UUID> {
        Set(comparedNumbers(in: meetingID).map(\.earlierMeetingID))
    }
}
