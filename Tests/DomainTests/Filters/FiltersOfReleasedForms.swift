import Domain
import TestSupport
import Testing

/// Filters of a form whose results were read while it was open, so that readers also know each released state.
@Suite struct FiltersOfReleasedForms {
    private static func chosen(_ form: WatchedForm, of questions: Int, seen: ReleasedCounts? = nil) -> [Int] {
        FilterableQuestions.choose(
            form.cells, of: questions, minimum: WatchedForm.minimum, lowest: WatchedForm.minimum,
            seen: seen ?? form.seenStates)
    }

    /// The closed form; nil if a part of it is withheld.
    private static func after(_ events: [WatchedForm.Event]) -> WatchedForm? {
        var form = WatchedForm()
        for event in events { form.apply(event) }
        return form.closed()
    }

    @Test(arguments: [(1, 1), (1, 2), (2, 1), (2, 2)])
    func noFilterIsolatesAPerson(_ sets: Int, _ questions: Int) {
        let seeds = [1, SeededNumbers.freshSeed()]
        var generators = seeds.map { SeededNumbers(seed: $0) }
        var (filtered, refused, isolating) = (0, 0, 0)
        for number in 0..<300 {
            let (seed, index) = (seeds[number % 2], number % 2)
            let events = WatchedForm.events(
                &generators[index], people: generators[index].int(6...14) + (sets - 1) * 4, sets: sets,
                questions: questions)
            guard let form = Self.after(events) else { continue }
            let chosen = Self.chosen(form, of: questions)
            let isolated = form.known(chosen).isolated(fewerThan: WatchedForm.minimum)
            #expect(isolated == nil, "seed \(seed), \(number): \(events)")
            if !chosen.isEmpty { filtered += 1 }
            let chosenWithoutLog = Self.chosen(form, of: questions, seen: ReleasedCounts())
            guard chosenWithoutLog != chosen else { continue }
            refused += 1
            if form.known(chosenWithoutLog).isolated(fewerThan: WatchedForm.minimum) != nil { isolating += 1 }
        }
        #expect(filtered > 5, "seeds \(seeds): too few forms can be filtered")
        #expect(isolating > 0, "seeds \(seeds): \(isolating) of \(refused) filters isolate a person without the log")
    }

    @Test func questionIsRefusedOnlyIfItIsolatesSomebody() {
        let seed = SeededNumbers.freshSeed()
        var random = SeededNumbers(seed: seed)
        var refused = 0
        for number in 0..<250 {
            let events = WatchedForm.events(&random, people: random.int(6...14), sets: 1, questions: 1)
            guard let form = Self.after(events), Self.chosen(form, of: 1).isEmpty else { continue }
            refused += 1
            let isolated = form.known([0]).isolated(fewerThan: WatchedForm.minimum)
            #expect(isolated != nil, "seed \(seed), \(number): \(events)")
        }
        #expect(refused > 10)
    }

    /// The first three people answer 1, and so does one later person. The released state of the first three, subtracted
    /// from the filter, isolates the later person.
    @Test func stateThatNearlyEqualsACellIsolatesTheDifference() throws {
        var form = WatchedForm()
        for _ in 0..<3 { form.submit(["1"]) }
        for _ in 0..<3 { form.submit(["2"]) }
        form.read()
        for answer in ["1", "2", "2"] { form.submit([answer]) }
        let closed = try #require(form.closed())
        #expect(closed.known([0]).isolated(fewerThan: 2) == [6])
        #expect(Self.chosen(closed, of: 1) == [])
        #expect(Self.chosen(closed, of: 1, seen: ReleasedCounts()) == [0], "without released states the filter is safe")
    }

    /// The states before and after a correction both contain the submission, so filters remain possible.
    @Test func correctedSubmissionCountsInBothStates() throws {
        for corrects in [false, true] {
            var form = WatchedForm()
            for _ in 0..<3 { form.submit(["1"]) }
            for _ in 0..<3 { form.submit(["2"]) }
            form.read()
            if corrects { for person in 0..<3 { form.correct(person, ["2"], set: 1) } }
            for _ in 0..<3 { form.submit(["2"]) }
            form.read()
            for _ in 0..<3 { form.submit(["1"]) }
            let closed = try #require(form.closed())
            #expect(Self.chosen(closed, of: 1) == [0])
            #expect(closed.known([0]).isolated(fewerThan: 3) == nil)
        }
    }

    /// Both questions together isolate nobody, but only one person with their last combination answered after the read.
    /// A cross-tab would show how many of the earlier people gave that combination.
    @Test func secondQuestionNeedsLargeGroupsBetweenReadings() throws {
        for late in [1, 3] {
            var form = WatchedForm()
            let combinations = [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"]]
            for answers in combinations { for _ in 0..<6 { form.submit(answers) } }
            // Counts are released one step late.
            for _ in 0..<3 { form.submit(["1", "1"]) }
            form.read()
            for answers in combinations { for _ in 0..<(answers == ["2", "2"] ? late : 6) { form.submit(answers) } }
            let closed = try #require(form.closed())
            #expect(closed.known([0, 1]).isolated(fewerThan: 3) == nil)
            #expect(Self.chosen(closed, of: 2) == (late == 1 ? [0] : [0, 1]))
        }
    }

    /// After ten readings, forms of a usual size can still be filtered.
    @Test(arguments: [(30, 2, 0.9), (60, 3, 0.95), (60, 5, 0.6), (300, 5, 0.97)])
    func formsOfAUsualSizeRemainFilterable(_ people: Int, _ options: Int, _ share: Double) {
        var random = SeededNumbers(seed: 7)
        var (filterable, possible) = (0, 0)
        for _ in 0..<40 {
            var form = WatchedForm()
            for number in 0..<people {
                form.submit(["\(random.int(1...options))"])
                if number % max(1, people / 10) == 0 { form.read() }
            }
            guard let form = form.closed() else { continue }
            guard Self.chosen(form, of: 1, seen: ReleasedCounts()) == [0] else { continue }
            possible += 1
            if Self.chosen(form, of: 1) == [0] { filterable += 1 }
        }
        #expect(possible > 20 && Double(filterable) >= share * Double(possible), "\(filterable) of \(possible)")
    }

    /// The minimum was raised while people answered. Earlier states differ by fewer people than the new minimum.
    @Test func stepsOfALowerMinimumAreTooSmallForAHigherOne() throws {
        var form = WatchedForm()
        for _ in 0..<4 {
            for answer in ["1", "2", "1"] {
                form.submit([answer])
                form.read()
            }
        }
        for _ in 0..<30 { for answer in ["1", "2"] { form.submit([answer]) } }
        let closed = try #require(form.closed())
        func chosen(_ minimum: Int) -> [Int] {
            FilterableQuestions.choose(closed.cells, of: 1, minimum: minimum, lowest: 3, seen: closed.seenStates)
        }
        #expect(chosen(3) == [0] && chosen(4) == [])
    }
}
