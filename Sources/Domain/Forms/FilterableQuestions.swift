/// Chooses the questions of an anonymous form that may be used as filters, so that no set of readings can isolate a
/// group smaller than the minimum. `docs/analysis.md` has the rule and its proof.
public enum FilterableQuestions {
    /// Submissions with the same answers to the questions in view that arrived, changed and were withdrawn between the
    /// same states.
    public struct Cell: Sendable {
        /// An answer for each question, nil if there is none.
        public var values: [String?]
        public var count: Int
        /// The states of their first to last answers, and of their withdrawal; empty if no state was read.
        public var arrivals: [ReleasedCounts.Arrival]
        /// Whether they were withdrawn, so that no reading of the closed form contains them.
        public var isGone: Bool

        public init(
            values: [String?], count: Int, arrivals: [ReleasedCounts.Arrival] = [], isGone: Bool = false
        ) {
            self.values = values
            self.count = count
            self.arrivals = arrivals
            self.isGone = isGone
        }
    }

    /// Returns the indices of the questions that may be used as filters, ascending.
    ///
    /// A question is added to those before it if every group that can be isolated by readings of the closed form, and
    /// of the states that were read before, still has the minimum size. If the minimum was raised later, the choice is
    /// made among those chosen with each lower one, down to `lowest`: what was read before is known, and a second
    /// choice would reveal more.
    ///
    /// - Parameters:
    ///   - cells: Of all submissions, over all questions in an order that never changes.
    ///   - lowest: The smallest minimum that such a form can have had.
    public static func choose(
        _ cells: [Cell], of questions: Int, minimum: Int, lowest: Int, seen: ReleasedCounts = ReleasedCounts()
    ) -> [Int] {
        let people = People(cells, seen)
        var chosen = Array(0..<questions)
        var bound = min(lowest, minimum)
        while true {
            let (kept, smallest) = join(chosen, people, minimum: bound)
            chosen = kept
            // Between the smallest group and the limit nothing changes.
            guard let smallest, smallest < minimum else { return chosen }
            bound = smallest + 1
        }
    }

    /// Returns the questions that are added, one after another, and the size of the smallest group they distinguish;
    /// nil without submissions.
    private static func join(_ candidates: [Int], _ people: People, minimum: Int) -> (kept: [Int], smallest: Int?) {
        var parts = people.together
        var smallest = people.smallestGroup(parts, enough: minimum)
        var kept: [Int] = []
        for question in candidates {
            let refined = people.parts(parts, with: question)
            let least = people.smallestGroup(refined, enough: minimum)
            guard least ?? minimum >= minimum else { continue }
            kept.append(question)
            parts = refined
            smallest = least
        }
        // If no question is added, there is no reason to raise the limit.
        return (kept, kept.isEmpty ? nil : smallest)
    }

    /// All submissions, connected by the periods in which they arrived and by their answers at the close.
    private struct People {
        /// The part that each cell belongs to: no question in view distinguishes cells of one part.
        struct Parts {
            var of: [Int]
            var sizes: [Int]
        }

        private struct Part: Hashable {
            var before: Int
            var value: String?
        }

        private let cells: [Cell]
        /// The periods that connect each cell, by its course; the part belongs to the last of them.
        private var courses: [[[Int]]] = []
        private var courseOf: [Int] = []
        private var periods = 0
        /// The weight of a submission in its last part. Its other parts have weight 1 and together weigh less than
        /// `whole`, so that they show that a group exists without counting a submission twice.
        private let whole: Int

        init(_ cells: [Cell], _ seen: ReleasedCounts) {
            self.cells = cells
            var numbers: [ReleasedCounts.Period: Int] = [:]
            var known: [[ReleasedCounts.Arrival]: Int] = [:]
            var besides = 1
            for cell in cells {
                if let course = known[cell.arrivals] {
                    courseOf.append(course)
                } else {
                    let parts = cell.arrivals.isEmpty ? [[.last]] : seen.course(of: cell.arrivals)
                    let course = parts.map { part in
                        part.map { period in
                            let number = numbers[period] ?? numbers.count
                            numbers[period] = number
                            return number
                        }
                    }
                    known[cell.arrivals] = courses.count
                    courseOf.append(courses.count)
                    courses.append(course)
                }
                besides += cell.count * (courses[courseOf[courseOf.count - 1]].count - 1)
            }
            periods = numbers.count
            whole = besides
        }

        var together: Parts { Parts(of: cells.map { _ in 0 }, sizes: [cells.reduce(0) { $0 + $1.count }]) }

        func parts(_ parts: Parts, with question: Int) -> Parts {
            var numbers: [Part: Int] = [:]
            var refined = Parts(of: [], sizes: [])
            for (index, cell) in cells.enumerated() {
                let part = Part(before: parts.of[index], value: cell.isGone ? nil : cell.values[question])
                let number = numbers[part] ?? refined.sizes.count
                if number == refined.sizes.count {
                    numbers[part] = number
                    refined.sizes.append(0)
                }
                if !cell.isGone { refined.sizes[number] += cell.count }
                refined.of.append(number)
            }
            return refined
        }

        /// Returns the size of the smallest group that a combination of readings isolates; nil if none isolates a
        /// submission. If the result is below `enough`, the true size may be smaller still.
        func smallestGroup(_ parts: Parts, enough: Int) -> Int? {
            // Each part is such a group, and is found sooner.
            if let least = parts.sizes.filter({ $0 > 0 }).min(), least < enough { return least }
            var counts: [[Int]: Int] = [:]
            for (index, cell) in cells.enumerated() {
                counts[[courseOf[index], cell.isGone ? -1 : parts.of[index]], default: 0] += cell.count
            }
            var ties: [SmallestCut.Tie] = []
            for (key, count) in counts.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                for (position, part) in courses[key[0]].enumerated() {
                    let isLast = position == courses[key[0]].count - 1
                    ties.append(
                        SmallestCut.Tie(
                            isLast && key[1] >= 0 ? part + [periods + key[1]] : part,
                            weight: isLast ? count * whole : count))
                }
            }
            return SmallestCut.weight(of: ties, among: periods + parts.sizes.count).map { $0 / whole }
        }
    }
}

extension QuestionResult {
    /// Whether this question alone isolates no small group: the submissions with each answer, and those without it, are
    /// none or at least the minimum.
    ///
    /// Only then is another question shown in a filtered group of an anonymous form; otherwise a participant with a
    /// rare option would be visible among those who gave the answer that is filtered for.
    public func revealsNobody(among submissions: Int, minimum: Int) -> Bool {
        let groups = [answered, skipped, submissions - answered - skipped] + points.map(\.count)
        return groups.allSatisfy { group in
            [group, submissions - group].allSatisfy { $0 == 0 || $0 >= minimum }
        }
    }
}
