/// Chooses the questions of an anonymous form that may be used as filters. No combination of readings can then isolate
/// a group smaller than the minimum. `docs/analysis.md` explains the rule and its proof.
public enum FilterableQuestions {
    /// Submissions with the same answers that arrived, were corrected and were withdrawn between the same states.
    public struct Cell: Sendable {
        /// The answer to each question, or nil if there is none.
        public var values: [String?]
        public var count: Int
        /// The arrivals of the answers, from the first to the last, and of a withdrawal. Empty if no state was read.
        public var arrivals: [ReleasedCounts.Arrival]
        /// Whether no reading of the closed form contains the submissions, for example because they were withdrawn.
        public var isExcluded: Bool

        public init(
            values: [String?], count: Int, arrivals: [ReleasedCounts.Arrival] = [], isExcluded: Bool = false
        ) {
            self.values = values
            self.count = count
            self.arrivals = arrivals
            self.isExcluded = isExcluded
        }
    }

    /// Returns the indices of the questions that may be used as filters, ascending.
    ///
    /// The questions are examined in order. A question is chosen if, together with the questions chosen before it,
    /// every group that can be isolated still has at least the minimum size. Readings of the closed form and of the
    /// states that were read earlier are taken into account. A second or later question is chosen only if, in addition,
    /// every cell of submissions that arrived between the same two states has at least the minimum size, because the
    /// counts of a smaller cell could be computed from the cross-tab (see `FilterDisclosure`).
    ///
    /// The minimum may have been raised, and readings under a lower minimum are already known. So the choice is
    /// repeated for each minimum from `lowest` to the current one, always among the questions chosen before. An
    /// independent choice would reveal more.
    ///
    /// When the budget is exhausted, no further question is chosen. Those chosen before have been shown to be safe.
    ///
    /// - Parameters:
    ///   - cells: The cells of all submissions. Their values are in the order of the questions, which never changes.
    ///   - questions: The number of questions.
    ///   - minimum: The current minimum group.
    ///   - lowest: The smallest minimum that such a form can have had.
    ///   - seen: The states that were read while the form was open.
    ///   - budget: The steps that the search may take.
    public static func choose(
        _ cells: [Cell], of questions: Int, minimum: Int, lowest: Int, seen: ReleasedCounts = ReleasedCounts(),
        budget: SearchBudget = SearchBudget()
    ) -> [Int] {
        guard let submissions = SubmissionGraph(cells, seen, budget) else { return [] }
        var chosen = Array(0..<questions)
        var bound = min(lowest, minimum)
        while true {
            let (accepted, smallest) = extend(chosen, submissions, minimum: bound)
            chosen = accepted
            // For all minimums up to the size of the smallest group, the choice is the same.
            guard let smallest, smallest < minimum else { return chosen }
            bound = smallest + 1
        }
    }

    /// Adds the candidates one after another. Returns those that are accepted, and the size of the smallest group that
    /// they distinguish. The size is nil if no candidate is accepted or there are no submissions.
    private static func extend(
        _ candidates: [Int], _ submissions: SubmissionGraph, minimum: Int
    ) -> (accepted: [Int], smallest: Int?) {
        var parts = submissions.undivided
        var smallest = submissions.smallestGroup(parts, enough: minimum)
        var accepted: [Int] = []
        for question in candidates {
            guard submissions.spendDivision() else { break }
            let refined = submissions.dividing(parts, by: question)
            let least = submissions.smallestGroup(refined, enough: minimum)
            guard least ?? minimum >= minimum else { continue }
            guard accepted.isEmpty || submissions.smallestCellOfPeriod(refined) ?? minimum >= minimum else { continue }
            accepted.append(question)
            parts = refined
            smallest = least
        }
        // If no question is accepted, a higher minimum would not change that.
        return (accepted, accepted.isEmpty ? nil : smallest)
    }

    /// All submissions, connected by the periods in which they arrived and by their answers at the close.
    private struct SubmissionGraph {
        /// The division of the cells into parts. The questions considered so far do not distinguish cells of one part.
        struct Parts {
            /// The number of the part that each cell belongs to.
            var numbers: [Int]
            /// The number of submissions in each part.
            var sizes: [Int]
        }

        private struct Part: Hashable {
            var parent: Int
            var value: String?
        }

        private struct CellOfPeriod: Hashable {
            var period: ReleasedCounts.Period
            var part: Int
        }

        private let cells: [Cell]
        /// The period of each cell's last arrival.
        private let lastPeriods: [ReleasedCounts.Period]
        /// The distinct courses of cells: the groups of periods that each course connects. The last group is also
        /// connected to the cell's part.
        private var courses: [[[Int]]] = []
        /// The index of each cell's course in `courses`.
        private var courseOf: [Int] = []
        private var periodCount = 0
        /// The weight of a submission in the last group of periods of its course. In the other groups it has the weight
        /// 1. All weights of 1 together are less than `fullWeight`. They show that a cut isolates a person, but no
        /// submission is counted twice.
        private let fullWeight: Int
        private let budget: SearchBudget

        /// Returns nil if the budget is exhausted.
        init?(_ cells: [Cell], _ seen: ReleasedCounts, _ budget: SearchBudget) {
            guard budget.spend(cells.count) else { return nil }
            self.cells = cells
            self.budget = budget
            lastPeriods = cells.map { cell in cell.arrivals.last.map { seen.period(of: $0) } ?? .last }
            var periodNumbers: [ReleasedCounts.Period: Int] = [:]
            var courseIndices: [[ReleasedCounts.Arrival]: Int] = [:]
            var extraWeight = 1
            let periodLimit = seen.periodCount
            for cell in cells {
                if let course = courseIndices[cell.arrivals] {
                    courseOf.append(course)
                } else {
                    // Each arrival is compared with the periods of those before it.
                    let arrivalCount = cell.arrivals.count
                    guard budget.spend(arrivalCount * min(arrivalCount, periodLimit)) else { return nil }
                    let groups = cell.arrivals.isEmpty ? [[.last]] : seen.course(of: cell.arrivals)
                    let course = groups.map { group in
                        group.map { period in
                            let number = periodNumbers[period] ?? periodNumbers.count
                            periodNumbers[period] = number
                            return number
                        }
                    }
                    courseIndices[cell.arrivals] = courses.count
                    courseOf.append(courses.count)
                    courses.append(course)
                }
                extraWeight += cell.count * (courses[courseOf[courseOf.count - 1]].count - 1)
            }
            periodCount = periodNumbers.count
            fullWeight = extraWeight
        }

        /// All cells in one part.
        var undivided: Parts { Parts(numbers: cells.map { _ in 0 }, sizes: [cells.reduce(0) { $0 + $1.count }]) }

        /// Takes the steps of dividing the cells and counting them. Returns false if the budget is exhausted.
        func spendDivision() -> Bool { budget.spend(2 * cells.count) }

        /// Returns the parts divided by the answers to one more question.
        func dividing(_ parts: Parts, by question: Int) -> Parts {
            var numbers: [Part: Int] = [:]
            var refined = Parts(numbers: [], sizes: [])
            for (index, cell) in cells.enumerated() {
                let part = Part(parent: parts.numbers[index], value: cell.isExcluded ? nil : cell.values[question])
                let number = numbers[part] ?? refined.sizes.count
                if number == refined.sizes.count {
                    numbers[part] = number
                    refined.sizes.append(0)
                }
                if !cell.isExcluded { refined.sizes[number] += cell.count }
                refined.numbers.append(number)
            }
            return refined
        }

        /// Returns the smallest number of submissions that are in the same part and arrived in the same period; nil if
        /// there are none.
        func smallestCellOfPeriod(_ parts: Parts) -> Int? {
            var sizes: [CellOfPeriod: Int] = [:]
            for (index, cell) in cells.enumerated() where !cell.isExcluded {
                sizes[CellOfPeriod(period: lastPeriods[index], part: parts.numbers[index]), default: 0] += cell.count
            }
            return sizes.values.min()
        }

        /// Returns the size of the smallest group that a combination of readings isolates, or nil if no combination
        /// isolates a submission. If the result is less than `enough`, the true size may be even smaller. Returns 0 if
        /// the budget is exhausted.
        func smallestGroup(_ parts: Parts, enough: Int) -> Int? {
            // Each part is such a group, and its size is known without a search.
            if let least = parts.sizes.filter({ $0 > 0 }).min(), least < enough { return least }
            var counts: [[Int]: Int] = [:]
            for (index, cell) in cells.enumerated() {
                counts[[courseOf[index], cell.isExcluded ? -1 : parts.numbers[index]], default: 0] += cell.count
            }
            var hyperedges: [MinimumCut.Hyperedge] = []
            for (key, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                for (position, group) in courses[key[0]].enumerated() {
                    let isLast = position == courses[key[0]].count - 1
                    hyperedges.append(
                        MinimumCut.Hyperedge(
                            isLast && key[1] >= 0 ? group + [periodCount + key[1]] : group,
                            weight: isLast ? count * fullWeight : count))
                }
            }
            return MinimumCut.weight(of: hyperedges, among: periodCount + parts.sizes.count, budget: budget).map {
                $0 / fullWeight
            }
        }
    }
}

extension QuestionResult {
    /// Whether this question alone isolates no small group. For each answer, the number of submissions with it and the
    /// number without it must be 0 or at least the minimum.
    ///
    /// Only such a question is shown under a filter on an anonymous form. Otherwise, the results would show whether a
    /// participant who chose a rare option is among the submissions that match the filter.
    public func revealsNobody(among submissions: Int, minimum: Int) -> Bool {
        let groups = [answered, abstained, skipped, submissions - asked] + points.map(\.count)
        return groups.allSatisfy { group in
            [group, submissions - group].allSatisfy { $0 == 0 || $0 >= minimum }
        }
    }
}
