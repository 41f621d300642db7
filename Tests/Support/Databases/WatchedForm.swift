import Domain

/// A model of an anonymous form with minimum group 3. People submit, correct and withdraw answers, and a reader records
/// the released counts. Counts are released as in `advance_release`.
public struct WatchedForm: Sendable {
    /// A person's answers at some time.
    private struct Version: Sendable {
        var person: Int
        var answers: [String?]
        var questionSet: Int
    }

    private struct Counted: Sendable {
        /// Indices into `WatchedForm.versions`.
        var versions: Set<Int> = []
        var submissions = 0
        var changes = 0
    }

    public static let minimum = 3

    private var versions: [Version] = []
    private var counts: [Int: Counted] = [:]
    private var pending: [Int: Counted] = [:]
    private var shown: [Int: Counted] = [:]
    /// Each person's arrivals, and the index of their current version, which is nil after a withdrawal.
    private var people: [(arrivals: [ReleasedCounts.Arrival], version: Int?)] = []
    /// The numbers of submissions that were shown to the reader, by question set.
    private var readSizes: [Int: Set<Int>] = [:]
    /// Indices of the versions in each reading.
    private var readings: [Set<Int>] = []

    public init() {}

    public var size: Int { people.count }

    public mutating func submit(_ answers: [String?], set: Int = 1) {
        people.append((arrivals: [arrival(set)], version: nil))
        count(answers, of: people.count - 1, set)
        // All sets are checked, because a correction may have moved a person into another set in the meantime.
        for (set, state) in counts where state.submissions - submissions(pending, set) >= Self.minimum {
            shown[set] = pending[set] ?? Counted()
            pending[set] = state
        }
    }

    public mutating func correct(_ person: Int, _ answers: [String?], set: Int) {
        guard let old = leave(person) else { return }
        let before = versions[old].questionSet
        if before != set { people[person].arrivals.append(arrival(before)) }
        people[person].arrivals.append(arrival(set))
        counts[set, default: Counted()].changes += 1
        count(answers, of: person, set)
    }

    public mutating func withdraw(_ person: Int) {
        guard let old = leave(person) else { return }
        people[person].arrivals.append(arrival(versions[old].questionSet))
        people[person].version = nil
    }

    /// Records that a reader gets the results. The reader may be able to separate the question sets.
    public mutating func read() {
        for (set, state) in shown where state.submissions > 0 {
            readSizes[set, default: []].insert(state.submissions)
            readings.append(state.versions)
        }
    }

    /// The form after the close. The close releases all counts of a question set if at least the minimum has been added
    /// to the last state that was read, or if nothing has changed since then. Nil if something stays withheld, because
    /// such a form has no filters.
    public func closed() -> WatchedForm? {
        var form = self
        for (set, state) in counts {
            let lastRead = readSizes[set]?.max() ?? 0
            let hasNewGroup = state.submissions - lastRead >= Self.minimum
            guard hasNewGroup || lastRead > 0 && !hasChanged(set, since: lastRead) else { continue }
            form.shown[set] = state
        }
        let isSettled = counts.allSatisfy { set, state in
            let shown = form.shown[set] ?? Counted()
            return shown.submissions == 0
                || (shown.submissions, shown.changes) == (state.submissions, state.changes)
        }
        return isSettled && form.shown.values.contains { $0.submissions > 0 } ? form : nil
    }

    private func hasChanged(_ set: Int, since read: Int) -> Bool {
        people.contains { person in
            let steps = person.arrivals.filter { $0.questionSet == set }.map(\.step)
            let isPresent = person.version.map { versions[$0].questionSet == set } ?? false
            return steps.contains { $0 >= read } && (isPresent || steps.contains { $0 < read })
        }
    }

    /// The number of released submissions with this answer.
    public func shown(_ answer: String, to question: Int) -> Int {
        shown.values.flatMap(\.versions).count { versions[$0].answers[question] == answer }
    }

    /// The versions that can be filtered after the close.
    private var present: [Int] {
        people.compactMap(\.version).filter { submissions(shown, versions[$0].questionSet) > 0 }
    }

    public var cells: [FilterableQuestions.Cell] {
        people.map { person in
            let version = person.version.flatMap { present.contains($0) ? $0 : nil }
            return FilterableQuestions.Cell(
                values: version.map { versions[$0].answers } ?? versions[0].answers.map { _ in nil }, count: 1,
                arrivals: person.arrivals, isExcluded: version == nil)
        }
    }

    public var seenStates: ReleasedCounts { ReleasedCounts(readSizes.mapValues(Array.init)) }

    /// Everything that was read while the form was open, and everything that filters by these questions show now.
    public func known(_ questions: [Int]) -> KnownPopulations {
        let present = present
        var populations = readings + [Set(present)]
        func included(_ isIncluded: ([String?]) -> Bool) -> Set<Int> {
            Set(present.filter { isIncluded(versions[$0].answers) })
        }
        func values(_ question: Int) -> Set<String> { Set(present.compactMap { versions[$0].answers[question] }) }
        for row in questions {
            for value in values(row) {
                populations.append(included { $0[row] == value })
                for column in questions where column > row {
                    for other in values(column) {
                        populations.append(included { $0[row] == value && $0[column] == other })
                    }
                }
            }
        }
        return KnownPopulations(
            all: populations.map { population in versions.indices.map { population.contains($0) ? 1 : 0 } },
            owners: versions.map(\.person))
    }

    private func arrival(_ set: Int) -> ReleasedCounts.Arrival {
        ReleasedCounts.Arrival(questionSet: set, step: submissions(pending, set))
    }

    private func submissions(_ counts: [Int: Counted], _ set: Int) -> Int { counts[set]?.submissions ?? 0 }

    private mutating func count(_ answers: [String?], of person: Int, _ set: Int) {
        counts[set, default: Counted()].versions.insert(versions.count)
        counts[set, default: Counted()].submissions += 1
        people[person].version = versions.count
        versions.append(Version(person: person, answers: answers, questionSet: set))
    }

    private mutating func leave(_ person: Int) -> Int? {
        guard let old = people[person].version else { return nil }
        let set = versions[old].questionSet
        counts[set]?.versions.remove(old)
        counts[set]?.submissions -= 1
        counts[set]?.changes += 1
        return old
    }
}

extension WatchedForm {
    public enum Event: Sendable {
        case submit([String?], set: Int)
        case correct(Int, [String?], set: Int)
        case withdraw(Int)
        case read
    }

    public mutating func apply(_ event: Event) {
        switch event {
        case .submit(let answers, let set): submit(answers, set: set)
        case .correct(let person, let answers, let set): correct(person, answers, set: set)
        case .withdraw(let person): withdraw(person)
        case .read: read()
        }
    }

    /// Random events of `people` participants. Their answers are mostly similar, especially those of consecutive
    /// participants, so that small groups and near misses are common.
    public static func events(
        _ random: inout SeededNumbers, people: Int, sets: Int, questions: Int
    ) -> [Event] {
        let patterns = (0..<random.int(1...3)).map { _ in
            (0..<questions).map { _ in "\(random.int(1...2))" as String? }
        }
        func answers(_ random: inout SeededNumbers, _ position: Int) -> [String?] {
            let usual = patterns[position * patterns.count / people]
            var answers = random.int(0...3) == 0 ? random.one(of: patterns) : usual
            if random.int(0...5) == 0 { answers[random.int(0...questions - 1)] = random.chance() ? "1" : nil }
            return answers
        }
        var events: [Event] = []
        var size = 0
        while size < people {
            switch random.int(0...15) {
            case 0 where size > 0:
                let answers = answers(&random, size)
                events.append(.correct(random.int(0...size - 1), answers, set: random.int(1...sets)))
            case 1 where size > 0: events.append(.withdraw(random.int(0...size - 1)))
            case 2...6: events.append(.read)
            default:
                events.append(.submit(answers(&random, size), set: random.int(1...sets)))
                size += 1
            }
        }
        return events
    }
}
