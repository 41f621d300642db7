/// Which questions of an anonymous form may be filtered by, so that no set of readings can be taken apart into a group
/// smaller than the minimum. `docs/analysis.md` has the law and its proof.
public enum FilterableQuestions {
    /// Submissions that gave the same answers to the questions in view, and came, changed and went with the same states.
    public struct Cell: Sendable {
        /// An answer for each question, nil where there is none.
        public var values: [String?]
        public var count: Int
        /// Of their answers, the first to the last, and of their withdrawal; nothing where no state was seen.
        public var arrivals: [ReleasedCounts.Arrival]
        /// They are in no reading of the closed form.
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

    /// The indices of the questions that may be filtered by, ascending.
    ///
    /// A question joins those before it if whoever can be taken apart by readings of the closed form and of the states that
    /// were seen before is still in a group of the minimum. A minimum that was raised later chooses among those chosen with
    /// each lower one, down to `lowest`: what was read before the rise is known, and another choice beside it would be one
    /// choice too many.
    ///
    /// - Parameters:
    ///   - cells: of all submissions, over all questions in an order that never changes.
    ///   - lowest: the smallest minimum that such a form can have had.
    public static func choose(
        _ cells: [Cell], of questions: Int, minimum: Int, lowest: Int, seen: ReleasedCounts = ReleasedCounts()
    ) -> [Int] {
        let people = People(cells, seen)
        var chosen = Array(0..<questions)
        var bound = min(lowest, minimum)
        while true {
            let (kept, smallest) = join(chosen, people, minimum: bound)
            chosen = kept
            // Between its own smallest group and the bound nothing changes.
            guard let smallest, smallest < minimum else { return chosen }
            bound = smallest + 1
        }
    }

    /// Those that join, one after the other, and the size of the smallest group that they tell apart; nil without
    /// submissions.
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
        // Where nothing joins there is nothing left to raise the bound for.
        return (kept, kept.isEmpty ? nil : smallest)
    }

    /// All submissions, as they hang together by the periods in which they came and by what they say at the close.
    private struct People {
        /// Which part each cell is in: cells of one part are told apart by no question in view.
        struct Parts {
            var of: [Int]
            var sizes: [Int]
        }

        private struct Part: Hashable {
            var before: Int
            var value: String?
        }

        private let cells: [Cell]
        /// The periods that hold each cell together, by its course; the part joins the last of them.
        private var courses: [[[Int]]] = []
        private var courseOf: [Int] = []
        private var periods = 0
        /// How often what one submission holds together in several places counts, and what it holds besides: that there is
        /// somebody must be seen, and nobody may be counted twice.
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

        /// How many people the smallest group has that some sum of readings leaves; nil where all leave nobody. Where it is
        /// not enough it may be smaller still.
        func smallestGroup(_ parts: Parts, enough: Int) -> Int? {
            // Each part for itself is such a group, which is known sooner.
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
    /// Whether nobody stands out by this question alone: whatever can be said of it was said, and was not said, by
    /// nobody or by at least so many.
    ///
    /// Another question is shown in a filtered group of an anonymous form only then: else the one who chose a rare
    /// option would be seen among those who gave the answer that was asked for.
    public func tellsNobodyApart(among submissions: Int, minimum: Int) -> Bool {
        let groups = [answered, skipped, submissions - answered - skipped] + points.map(\.count)
        return groups.allSatisfy { group in
            [group, submissions - group].allSatisfy { $0 == 0 || $0 >= minimum }
        }
    }
}
