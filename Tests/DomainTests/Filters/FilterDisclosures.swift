import Domain
import TestSupport
import Testing

/// Small groups whose answers a filter discloses together with earlier states. The tests simulate a reader who lists
/// all answers that people can have given.
@Suite struct FilterDisclosures {
    private static let minimum = 3

    /// The number of people with each pair of answers. A row is an answer to the examined question, a column an answer
    /// to the filter's question.
    private typealias Table = [[Int]]

    /// People who answered two questions. A period is the time between two states that were read.
    private struct Population: CustomStringConvertible {
        var periods: [Table]
        /// The answer of each row.
        var answers: [[String]?]

        /// - Parameter answers: The answers of the rows.
        init(_ random: inout SeededNumbers, answers: [[String]?], cells: Int) {
            self.answers = answers
            let blocks = random.int(2...3)
            periods = (0..<blocks).map { _ in
                var table = Table(repeating: [Int](repeating: 0, count: cells), count: answers.count)
                let (usual, other) = (random.int(0...answers.count - 1), random.int(0...cells - 1))
                for _ in 0..<random.int(3...5) {
                    let answer = random.int(0...2) == 0 ? usual : random.int(0...answers.count - 1)
                    table[answer][random.int(0...2) == 0 ? other : random.int(0...cells - 1)] += 1
                }
                return table
            }
        }

        var description: String { "\(periods)" }

        private func steps() -> [Int] {
            var (steps, next) = ([Int](), 0)
            for table in periods {
                steps.append(next)
                next += table.joined().reduce(0, +)
            }
            return steps
        }

        func isDisclosing() -> Bool {
            let steps = steps()
            var groups: [FilterDisclosure.Group] = []
            for (period, table) in periods.enumerated() {
                for (answer, row) in table.enumerated() {
                    for (cell, count) in row.enumerated() {
                        groups.append(
                            .init(
                                arrival: .init(questionSet: 1, step: steps[period]), cell: ["\(cell)"],
                                answer: answers[answer], count: count))
                    }
                }
            }
            return FilterDisclosure.isPossible(
                in: groups, minimum: FilterDisclosures.minimum, seen: ReleasedCounts([1: Array(steps.dropFirst())]),
                budget: SearchBudget())
        }

        /// For each period, all tables with the same counts in each state.
        func alikeInStates() -> [[Table]] {
            periods.map { table in
                Self.tables(rows: table.map { $0.reduce(0, +) }, columns: Self.columns(table))
            }
        }

        /// All populations with the same counts in each state and under each filter.
        func alike() -> [[Table]] {
            let sum = Self.sum(periods)
            var populations: [[Table]] = [[]]
            for tables in alikeInStates() {
                populations = populations.flatMap { earlier in
                    tables.compactMap { next in
                        let candidate = earlier + [next]
                        let exceedsSum = zip(Self.sum(candidate).joined(), sum.joined()).contains { $0 > $1 }
                        return exceedsSum ? nil : candidate
                    }
                }
            }
            return populations.filter { Self.sum($0) == sum }
        }

        private static func columns(_ table: Table) -> [Int] {
            table[0].indices.map { column in table.reduce(0) { $0 + $1[column] } }
        }

        private static func sum(_ tables: [Table]) -> Table {
            tables.dropFirst().reduce(tables[0]) { sum, table in
                zip(sum, table).map { zip($0, $1).map { $0 + $1 } }
            }
        }

        private static func tables(rows: [Int], columns: [Int]) -> [Table] {
            guard let first = rows.first else { return columns.allSatisfy { $0 == 0 } ? [[]] : [] }
            return divisions(of: first, atMost: columns).flatMap { row in
                tables(rows: Array(rows.dropFirst()), columns: zip(columns, row).map { $0 - $1 }).map { [row] + $0 }
            }
        }

        private static func divisions(of total: Int, atMost limits: [Int]) -> [[Int]] {
            guard let limit = limits.first else { return total == 0 ? [[]] : [] }
            return (0...min(limit, total)).flatMap { count in
                divisions(of: total - count, atMost: Array(limits.dropFirst())).map { [count] + $0 }
            }
        }

        /// The same people, with the two questions exchanged.
        static func transposed(_ table: Table) -> Table {
            table[0].indices.map { column in table.map { $0[column] } }
        }
    }

    /// Whether the reader knows how many people of a small group gave some answer to the other question, although the
    /// states alone do not show this number. A group consists of those who gave, or did not give, one answer in
    /// consecutive periods, or one of several answers that results count together.
    ///
    /// - Parameters:
    ///   - alike: The populations that are possible with the filter.
    ///   - alikeInStates: For each period, the tables that are possible without it.
    ///   - unions: The rows and the columns that results count together.
    private static func isGroupKnown(
        _ people: [Table], _ alike: [[Table]], _ alikeInStates: [[Table]], unions: (rows: [Int], columns: [Int])
    ) -> Bool {
        let options = people[0].indices
        func count(_ table: Table, _ answers: [Int], _ secret: [Int]) -> Int {
            answers.reduce(0) { sum, answer in secret.reduce(sum) { $0 + table[answer][$1] } }
        }
        let secrets = people[0][0].indices.map { [$0] } + (unions.columns.isEmpty ? [] : [unions.columns])
        for answer in options.map({ [$0] }) + (unions.rows.isEmpty ? [] : [unions.rows]) {
            for group in [answer, options.filter { !answer.contains($0) }] {
                for first in people.indices {
                    for last in first..<people.count {
                        let size = people[first...last].joined().enumerated().reduce(0) { sum, row in
                            group.contains(row.offset % options.count) ? sum + row.element.reduce(0, +) : sum
                        }
                        guard (1..<minimum).contains(size) else { continue }
                        for secret in secrets {
                            let isKnownBefore = (first...last).allSatisfy { period in
                                Set(alikeInStates[period].map { count($0, group, secret) }).count == 1
                            }
                            let possible = Set(
                                alike.map { tables in
                                    tables[first...last].reduce(0) { $0 + count($1, group, secret) }
                                })
                            if !isKnownBefore, possible.count == 1 { return true }
                        }
                    }
                }
            }
        }
        return false
    }

    private static func isDisclosed(_ population: Population) -> Bool {
        let (alike, inStates) = (population.alike(), population.alikeInStates())
        func transposed(_ tables: [[Table]]) -> [[Table]] { tables.map { $0.map(Population.transposed) } }
        let abstention = ["#abstained"]
        let hasAbstention = population.answers.contains(abstention)
        let ratings = population.answers.indices.filter { index in
            hasAbstention && population.answers[index] != nil && population.answers[index] != abstention
        }
        return isGroupKnown(population.periods, alike, inStates, unions: (ratings, []))
            || isGroupKnown(
                population.periods.map(Population.transposed), transposed(alike), transposed(inStates),
                unions: ([], ratings))
    }

    /// Abstentions are one more answer, without which results count the ratings.
    @Test(arguments: [1, SeededNumbers.freshSeed()])
    func ratingsAndAbstentionsOfASmallGroupCannotBeComputed(_ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var (shown, disclosed) = (0, 0)
        for number in 0..<100 {
            let population = Population(&random, answers: [["#abstained"], ["1"], ["2"], nil], cells: 2)
            let isDisclosed = Self.isDisclosed(population)
            if isDisclosed { disclosed += 1 }
            guard !population.isDisclosing() else { continue }
            shown += 1
            #expect(!isDisclosed, "seed \(seed), \(number): \(population)")
        }
        #expect(disclosed > 20, "seed \(seed): \(disclosed) disclosed, \(shown) shown")
    }

    @Test(arguments: [2, 3], [1, SeededNumbers.freshSeed()])
    func answersOfASmallGroupCannotBeComputed(_ options: Int, _ seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var (shown, disclosed) = (0, 0)
        for number in 0..<150 {
            let population = Population(&random, answers: (0..<options).map { ["\($0)"] }, cells: options)
            let (isPossible, isDisclosed) = (population.isDisclosing(), Self.isDisclosed(population))
            if isDisclosed { disclosed += 1 }
            if !isPossible {
                shown += 1
                #expect(!isDisclosed, "seed \(seed), \(number): \(population)")
            }
            // With two options, the search is exact.
            if options == 2 { #expect(isPossible == isDisclosed, "seed \(seed), \(number): \(population)") }
        }
        #expect(disclosed > 20 && (options > 2 || shown > 3), "seed \(seed): \(disclosed) disclosed, \(shown) shown")
    }

    private static func groups(_ people: [(step: Int, cell: String, answer: [String]?, count: Int)], set: Int = 1)
        -> [FilterDisclosure.Group]
    {
        people.map {
            .init(
                arrival: .init(questionSet: set, step: $0.step), cell: [$0.cell], answer: $0.answer, count: $0.count)
        }
    }

    private static func isPossible(_ groups: [FilterDisclosure.Group], budget: SearchBudget = SearchBudget()) -> Bool {
        FilterDisclosure.isPossible(
            in: groups, minimum: minimum, seen: ReleasedCounts([1: [6], 2: [6]]), budget: budget)
    }

    /// The first six agree, and one person of team A answers later. Everybody who differs answered later, so the
    /// filter shows whether that person is one of them.
    @Test func personWhoIsAloneBetweenTwoStatesIsDisclosed() {
        let early = Self.groups([(0, "agrees", ["A"], 3), (0, "agrees", ["B"], 3)])
        let late = Self.groups([(6, "agrees", ["B"], 4), (6, "differs", ["B"], 4), (6, "differs", ["A"], 1)])
        #expect(Self.isPossible(early + late))
        // Three people of team A are a group that may be shown.
        let three = Self.groups([(6, "agrees", ["B"], 4), (6, "differs", ["B"], 4), (6, "differs", ["A"], 3)])
        #expect(!Self.isPossible(early + three))
        // If some early people differ, one of them may have answered as the late person did.
        let divided = Self.groups(
            [(0, "agrees", ["A"], 3), (0, "agrees", ["B"], 3), (0, "differs", ["A"], 1), (0, "differs", ["B"], 1)])
        #expect(!Self.isPossible(divided + late))
    }

    @Test func selectedOptionsAndSkippedAnswersFormGroupsToo() {
        for (common, rare) in [(["x"], ["x", "y"]), (["x"], nil)] as [([String], [String]?)] {
            let early = Self.groups([(0, "agrees", common, 3), (0, "agrees", rare, 3)])
            let late = Self.groups([(6, "agrees", common, 4), (6, "differs", common, 4), (6, "differs", rare, 1)])
            #expect(Self.isPossible(early + late))
            #expect(!Self.isPossible(early + late.dropLast()), "without the late person there is no small group")
        }
    }

    @Test func severalQuestionSetsCountAsDisclosure() {
        let people = Self.groups([(0, "agrees", ["A"], 30), (0, "differs", ["A"], 30)])
        #expect(!Self.isPossible(people))
        #expect(Self.isPossible(people + Self.groups([(0, "agrees", ["A"], 30)], set: 2)))
    }

    /// After a few readings, filters of forms of a usual size still show other questions.
    @Test(
        arguments: [
            (30, 3, 2, 2, 0.9), (60, 10, 2, 2, 0.9), (60, 3, 2, 5, 0.9), (100, 10, 2, 5, 0.7), (100, 3, 5, 5, 0.6),
            (300, 3, 5, 5, 0.95),
        ])
    func formsOfAUsualSizeStillShowOtherQuestions(
        _ people: Int, _ readings: Int, _ cells: Int, _ answers: Int, _ share: Double
    ) {
        var random = SeededNumbers(seed: 7)
        var shown = 0
        for _ in 0..<40 {
            let groups = (0..<people).map { number in
                FilterDisclosure.Group(
                    arrival: .init(questionSet: 1, step: number), cell: ["\(random.int(1...cells))"],
                    answer: ["\(random.int(1...answers))"], count: 1)
            }
            let seen = ReleasedCounts([1: (1...readings).map { $0 * people / (readings + 1) }])
            let budget = SearchBudget()
            if !FilterDisclosure.isPossible(in: groups, minimum: Self.minimum, seen: seen, budget: budget) {
                shown += 1
            }
        }
        #expect(Double(shown) >= share * 40, "\(shown) of 40")
    }

    @Test func searchThatTakesTooLongCountsAsDisclosure() {
        let people = Self.groups([(0, "agrees", ["A"], 30), (0, "differs", ["B"], 30), (6, "differs", ["A"], 30)])
        #expect(!Self.isPossible(people))
        #expect(Self.isPossible(people, budget: SearchBudget(steps: 10)))
    }

    @Test func budgetIsSharedByAllQuestions() {
        let people = Self.groups([(0, "agrees", ["A"], 30), (0, "differs", ["B"], 30), (6, "differs", ["A"], 30)])
        let first = SearchBudget()
        #expect(!Self.isPossible(people, budget: first))
        let budget = SearchBudget(steps: SearchBudget.wholeSearch - first.remaining)
        #expect(!Self.isPossible(people, budget: budget), "the same search takes the same steps")
        #expect(Self.isPossible(people, budget: budget) && budget.isExhausted)
    }
}
