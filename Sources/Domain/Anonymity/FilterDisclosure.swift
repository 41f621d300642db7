/// Checks whether a filter of a closed form, compared with states that were read while the form was open, discloses the
/// answers of a small group. `docs/analysis.md` explains the rule and its proof.
///
/// A state shows the counts of each question, and a filter shows the counts of pairs of answers. A reader who knows who
/// answered between two states, and that few of them gave one answer of a pair, may be able to compute the other answer
/// of those few. This is impossible if different submissions would result in the same counts. Such submissions are
/// found by exchanging answers: two people who answered between the same states exchange their answers to the examined
/// question, and two others, who answered between other states, make the opposite exchange.
public struct FilterDisclosure {
    /// Submissions that arrived in one step and have equal answers.
    public struct Group: Sendable {
        public var arrival: ReleasedCounts.Arrival
        /// The answers to the questions that are used as filters.
        public var cell: [String?]
        /// The buckets of the answer to the examined question, ascending; nil if it was not answered.
        public var answer: [String]?
        public var count: Int

        public init(arrival: ReleasedCounts.Arrival, cell: [String?], answer: [String]?, count: Int) {
            self.arrival = arrival
            self.cell = cell
            self.answer = answer
            self.count = count
        }
    }

    /// Returns true if the counts of a question under a filter may disclose how fewer than `minimum` people answered
    /// it, or to which cell of the filters they belong. Also returns true if the submissions belong to different
    /// question sets, whose states a reader may be able to separate, or if the budget is exhausted.
    ///
    /// - Parameters:
    ///   - groups: All submissions that the filter counts.
    ///   - seen: The states that were read while the form was open.
    ///   - budget: The steps that the search may take.
    public static func isPossible(
        in groups: [Group], minimum: Int, seen: ReleasedCounts, budget: SearchBudget
    ) -> Bool {
        guard Set(groups.map(\.arrival.questionSet)).count <= 1 else { return true }
        guard let disclosure = FilterDisclosure(groups, minimum, seen, budget) else { return true }
        let (cells, answers) = (disclosure.cellProperties, disclosure.answerProperties)
        return !disclosure.protects(answers, { $0.answer }, secrets: cells, { $0.cell })
            || !disclosure.protects(cells, { $0.cell }, secrets: answers, { $0.answer })
    }

    /// An answer and a cell, as indices.
    private struct Pair: Hashable {
        var answer: Int
        var cell: Int
    }

    /// An exchange of answers by two people: the first gets the answer of the second, and vice versa.
    private struct Exchange: Hashable {
        var first: Pair
        var second: Pair

        /// The exchange by two other people that restores all counts of pairs.
        var opposite: Exchange {
            Exchange(
                first: Pair(answer: first.answer, cell: second.cell),
                second: Pair(answer: second.answer, cell: first.cell))
        }
    }

    /// For each answer or cell, by its index, whether it has a property.
    private typealias Property = [Bool]

    /// The number of submissions with each pair, for each period in the order of time.
    private let periods: [[Pair: Int]]
    /// The first and the last period in which each exchange is possible.
    private let exchanges: [Exchange: (first: Int, last: Int)]
    private let answerProperties: [Property]
    private let cellProperties: [Property]
    private let minimum: Int
    private let budget: SearchBudget

    /// Returns nil if the budget is exhausted.
    private init?(_ groups: [Group], _ minimum: Int, _ seen: ReleasedCounts, _ budget: SearchBudget) {
        guard budget.spend(2 * groups.count) else { return nil }
        self.minimum = minimum
        self.budget = budget
        var (answerIndices, cellIndices): ([[String]?: Int], [[String?]: Int]) = ([:], [:])
        var counts: [ReleasedCounts.Period: [Pair: Int]] = [:]
        for group in groups where group.count > 0 {
            let pair = Pair(
                answer: answerIndices.index(of: group.answer), cell: cellIndices.index(of: group.cell))
            counts[seen.period(of: group.arrival), default: [:]][pair, default: 0] += group.count
        }
        periods = counts.sorted { $0.key < $1.key }.map(\.value)
        var exchanges: [Exchange: (first: Int, last: Int)] = [:]
        for (index, pairs) in periods.enumerated() {
            guard budget.spend(pairs.count * pairs.count) else { return nil }
            for exchange in Self.exchanges(among: pairs) { exchanges[exchange, default: (index, index)].last = index }
        }
        self.exchanges = exchanges
        let answers = answerIndices.keysByIndex
        let buckets = Set(answers.flatMap { $0 ?? [] }).sorted()
        let selections = answers.reduce(answers.count) { $0 + ($1?.count ?? 0) }
        let cells = 0..<cellIndices.count
        // A step is the time of about sixteen such comparisons.
        guard budget.spend((buckets.count * selections + cells.count * cells.count) / 16) else { return nil }
        // Results count the ratings without the abstentions.
        let abstention = [TallyKey.abstained]
        let ratings = buckets.contains(TallyKey.abstained) ? [answers.map { $0 != nil && $0 != abstention }] : []
        answerProperties =
            [answers.map { $0 != nil }] + ratings
            + buckets.map { bucket in answers.map { $0?.contains(bucket) == true } }
        cellProperties = cells.map { cell in cells.map { $0 == cell } }
    }

    private static func exchanges(among pairs: [Pair: Int]) -> [Exchange] {
        pairs.keys.flatMap { first in
            pairs.keys.compactMap { second in
                first.answer == second.answer || first.cell == second.cell
                    ? nil : Exchange(first: first, second: second)
            }
        }
    }

    /// Whether nobody can compute how many members of a small group have any of the secret properties. Each of
    /// `properties` defines two groups: the people with it and those without it. A group is small between two states if
    /// fewer than the minimum number of its members answered between them. Secrets that the counts of two states
    /// already show, because everyone who answered between them is in the group or has the same secret, are not
    /// examined. Also returns false if the budget is exhausted. Passing over a pair takes about an eighth of a step.
    private func protects(
        _ properties: [Property], _ index: (Pair) -> Int, secrets: [Property], _ secretIndex: (Pair) -> Int
    ) -> Bool {
        let pairCount = periods.reduce(0) { $0 + $1.count }
        for property in properties {
            for value in [true, false] {
                guard budget.spend(1 + pairCount / 8) else { return false }
                func isMember(_ pair: Pair) -> Bool { property[index(pair)] == value }
                func differ(_ exchange: Exchange, _ secret: Property) -> Bool {
                    isMember(exchange.first) != isMember(exchange.second)
                        && secret[secretIndex(exchange.first)] != secret[secretIndex(exchange.second)]
                }
                let members = periods.map { pairs in pairs.reduce(0) { $0 + (isMember($1.key) ? $1.value : 0) } }
                for first in periods.indices where members[first] > 0 {
                    guard budget.spend(1 + periods.count / 64) else { return false }
                    var size = 0
                    var inside: Set<Exchange> = []
                    // The secrets that the states alone do not show.
                    var unknown: Set<Int> = []
                    for last in first..<periods.count where members[last] > 0 {
                        size += members[last]
                        guard size < minimum else { break }
                        let pairs = periods[last].keys
                        guard budget.spend(1 + pairs.count * pairs.count / 8) else { return false }
                        inside.formUnion(Self.exchanges(among: periods[last]))
                        guard budget.spend(inside.count + pairs.count * secrets.count) else { return false }
                        if !pairs.allSatisfy(isMember) {
                            for (number, secret) in secrets.enumerated()
                            where Set(pairs.map { secret[secretIndex($0)] }).count == 2 {
                                unknown.insert(number)
                            }
                        }
                        let possible = inside.filter { isPossible($0.opposite, outside: first...last) }
                        // In order, so that the same steps are taken each time.
                        for number in unknown.sorted() {
                            guard budget.spend(possible.count),
                                possible.contains(where: { differ($0, secrets[number]) })
                            else { return false }
                        }
                    }
                }
            }
        }
        return true
    }

    private func isPossible(_ exchange: Exchange, outside range: ClosedRange<Int>) -> Bool {
        guard let span = exchanges[exchange] else { return false }
        return span.first < range.lowerBound || span.last > range.upperBound
    }
}

extension Dictionary where Value == Int {
    /// Returns the index of a key. A new key gets a new index.
    fileprivate mutating func index(of key: Key) -> Int {
        let index = self[key] ?? count
        self[key] = index
        return index
    }

    /// The keys in the order of their indices.
    fileprivate var keysByIndex: [Key] { sorted { $0.value < $1.value }.map(\.key) }
}
