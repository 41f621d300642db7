import Contract
import Domain
import TestSupport
import Testing

/// Checks that the counts which an anonymous form shows during its life isolate nobody, even when they are combined.
@Suite(.timeLimit(.minutes(15))) struct IsolationByFilters {
    private static let keys = ["a", "b", "c"]
    private static let options = 1...3

    /// Three ratings, alone or as the statements of a grid.
    private static var questions: String { Bool.random() ? rated(keys) : grid }

    private static var grid: String {
        let statements = keys.map { #"{"key": "\#($0)", "title": "\#($0)"}"# }.joined(separator: ", ")
        return """
            [{"key": "grid", "kind": "grid", "title": "G", "min": 1, "max": 2, "labels": ["no", "yes"],
              "abstain": "Cannot judge", "statements": [\(statements)]}]
            """
    }

    /// An answer as the service knows it. People who give the answer 3 abstain.
    private static func value(_ answer: Int) -> String { answer == 3 ? "abstain" : "\(answer)" }

    private static func members(_ keys: [String], _ answers: [Int]) -> String {
        zip(keys, answers).filter { $0.1 > 0 }
            .map { "\"\($0.0)\": \($0.1 == 3 ? "\"abstain\"" : "\($0.1)")" }.joined(separator: ", ")
    }

    /// The answers of random people. Most of them answer alike, so that there are groups at all.
    private static func people() -> [[Int]] {
        let kinds = (0..<Int.random(in: 1...3)).map { _ in keys.map { _ in Int.random(in: 1...2) } }
        return (0..<Int.random(in: 6...10)).map { _ in
            var answers = kinds.randomElement() ?? [1, 1, 1]
            if Int.random(in: 0...4) == 0 { answers[Int.random(in: 0...2)] = Int.random(in: 0...3) }
            return answers
        }
    }

    private static func submit(_ people: [[Int]], to meeting: TestMeeting) async throws {
        for answers in people {
            try await meeting.submit("{\(members(keys, answers))}").expect(201)
        }
    }

    /// The populations of all filters that the service currently answers. Of `size` people, the first `people.count`
    /// have submitted answers.
    private static func readings(
        of meeting: TestMeeting, _ people: [[Int]], among size: Int
    ) async throws -> [Population] {
        func population(_ isIn: ([Int]) -> Bool) -> Population {
            (0..<size).map { $0 < people.count && isIn(people[$0]) ? 1 : 0 }
        }
        var populations: [Population] = []
        let unfiltered = try await meeting.results().expect(200).decoded(as: Results.self)
        if unfiltered.withheld == nil { populations.append(population { _ in true }) }
        for (row, key) in keys.enumerated() {
            for value in options {
                let response = try await meeting.host.get("\(meeting.path)/results?where=\(key):\(Self.value(value))")
                guard response.status == 200 else { continue }
                let matching = population { $0[row] == value }
                let filtered = try response.decoded(as: FilteredResults.self)
                #expect(filtered.results.submissions == matching.reduce(0, +), "\(people) \(key):\(value)")
                populations.append(matching)
            }
            for (column, other) in keys.enumerated() where column > row {
                let path = "\(meeting.path)/results/crosstab?rows=\(key)&columns=\(other)"
                let response = try await meeting.host.get(path)
                guard response.status == 200 else { continue }
                for point in try response.decoded(as: CrossTab.self).points {
                    let cell = population { "\($0[row])" == point.row && "\($0[column])" == point.column }
                    #expect(point.count == cell.reduce(0, +), "\(people) \(path)")
                    populations.append(cell)
                }
            }
        }
        // Alpha is about the people who rated all statements.
        let alpha = try await meeting.host.get("\(meeting.path)/results/alpha?grid=grid")
        if alpha.status == 200 {
            let raters = population { $0.allSatisfy { (1...2).contains($0) } }
            #expect(try alpha.decoded(as: GridAlpha.self).n == raters.reduce(0, +), "\(people)")
            populations.append(raters)
        }
        return populations
    }

    @Test(arguments: 0..<8)
    func noFilterIsolatesAPerson(_: Int) async throws {
        try await TestService.run { service in
            let (first, late) = (Self.people(), Array(Self.people().prefix(4)))
            let size = first.count + late.count
            let meeting = try await service.openMeeting(
                Self.questions, settings: #""anonymous": true, "minimumGroup": 3"#)
            try await Self.submit(first, to: meeting)
            try await meeting.perform("close").expect(200)
            var known = KnownPopulations(all: try await Self.readings(of: meeting, first, among: size))
            #expect(known.isolated(fewerThan: 3) == nil, "\(first)")
            try await meeting.perform("reopen").expect(200)
            try await Self.submit(late, to: meeting)
            try await meeting.perform("close").expect(200)
            let again = try await Self.readings(of: meeting, first + late, among: size)
            #expect(again.count == 1, "the unfiltered results are shown, and no filter is answered any more")
            known.all += again
            #expect(known.isolated(fewerThan: 3) == nil, "\(first) \(late)")
        }
    }

    /// Like ``noFilterIsolatesAPerson(_:)``, but the counts that the form showed while it was open are also known.
    /// Answers are corrected and withdrawn, and belong to one or two question sets.
    ///
    /// - Parameter isolating: Whether to use only events that would isolate a person if the released counts were not
    ///   recorded.
    @Test(arguments: [false, false, false, false, true, true, true, true])
    func noFilterIsolatesAPersonAfterEarlierReadings(_ isolating: Bool) async throws {
        try await TestService.run { service in
            let (seed, setCount, events) = Self.life(isolating: isolating)
            let meeting = try await service.openMeeting(Self.rated(Self.watched), settings: Self.settings)
            if setCount == 2 {
                let edited = "{\(Self.settings), \"questions\": \(Self.rated(Self.watched + ["more"]))}"
                try await meeting.define(edited).expect(200)
            }
            var form = WatchedForm()
            var submissions: [(path: String, receipt: String)] = []
            for event in events {
                form.apply(event)
                try await Self.apply(event, on: meeting, &submissions)
                if case .read = event { try await Self.compare(form, meeting, "seed \(seed)") }
            }
            try await meeting.perform("close").expect(200)
            guard let closed = form.closed() else {
                let filter = try await meeting.host.get("\(meeting.path)/results?where=a:1")
                #expect(filter.status != 200, "seed \(seed)")
                return
            }
            try await Self.compare(closed, meeting, "seed \(seed)")
            var allowed: [Int] = []
            for (question, key) in Self.watched.enumerated() {
                let response = try await meeting.host.get("\(meeting.path)/results?where=\(key):1")
                if response.status == 200 { allowed.append(question) }
            }
            let chosen = Self.chosen(closed, seen: closed.seenStates)
            // The service may allow fewer: it does not consider questions that the tallies already exclude.
            #expect(Set(allowed).isSubset(of: chosen), "seed \(seed): \(events)")
            #expect(closed.known(allowed).isolated(fewerThan: 3) == nil, "seed \(seed): \(events)")
            try await meeting.finish()
            for (question, key) in Self.watched.enumerated() {
                let response = try await meeting.host.get("\(meeting.path)/results?where=\(key):1")
                #expect((response.status == 200) == allowed.contains(question), "seed \(seed): \(key)")
            }
        }
    }

    /// Random events of a form, from a new seed, and the number of its question sets.
    private static func life(isolating: Bool) -> (seed: UInt64, sets: Int, events: [WatchedForm.Event]) {
        while true {
            let seed = SeededNumbers.freshSeed()
            var random = SeededNumbers(seed: seed)
            let sets = random.int(1...2)
            let events = WatchedForm.events(
                &random, people: random.int(8...16), sets: sets, questions: watched.count)
            guard isolating else { return (seed, sets, events) }
            var form = WatchedForm()
            for event in events { form.apply(event) }
            if let closed = form.closed(),
                closed.known(chosen(closed, seen: ReleasedCounts())).isolated(fewerThan: 3) != nil
            {
                return (seed, sets, events)
            }
        }
    }

    private static func chosen(_ form: WatchedForm, seen: ReleasedCounts) -> [Int] {
        FilterableQuestions.choose(form.cells, of: watched.count, minimum: 3, lowest: 3, seen: seen)
    }

    private static let settings = #""anonymous": true, "minimumGroup": 3"#
    private static let watched = ["a", "b"]

    private static func rated(_ keys: [String]) -> String {
        let definitions = keys.map { key in
            "{\"key\": \"\(key)\", \"kind\": \"rating\", \"title\": \"\(key)\", \"max\": 2, \"abstain\": \"None\"}"
        }
        return "[\(definitions.joined(separator: ", "))]"
    }

    private static func apply(
        _ event: WatchedForm.Event, on meeting: TestMeeting, _ submissions: inout [(path: String, receipt: String)]
    ) async throws {
        func body(_ answers: [String?], _ set: Int) -> String {
            "{\"version\": \(set), \"answers\": {\(members(watched, answers.map { $0.flatMap { Int($0) } ?? 0 }))}}"
        }
        switch event {
        case .submit(let answers, let set):
            let sent = try await meeting.send(body(answers, set)).expect(201)
            submissions.append(
                ("\(meeting.submissionsPath)/\(try sent.string("id"))", "Receipt \(try sent.string("receipt"))"))
        case .correct(let person, let answers, let set):
            let proof = ["Authorization": submissions[person].receipt]
            let status = try await meeting.anyone.put(
                submissions[person].path, json: body(answers, set), headers: proof
            ).status
            #expect(status == 200 || status == 410)
        case .withdraw(let person):
            let proof = ["Authorization": submissions[person].receipt]
            try await meeting.anyone.delete(submissions[person].path, headers: proof).expect(204)
        case .read: break
        }
    }

    /// Expects that the service shows the counts of the model, so the model's populations are those of the service.
    private static func compare(_ form: WatchedForm, _ meeting: TestMeeting, _ comment: String) async throws {
        let results = try await meeting.results().expect(200).decoded(as: Results.self)
        for (index, key) in watched.enumerated() {
            let question = results.questions.first { $0.key == key }
            let ratings = question?.datasets?.first?.data ?? []
            let data = ratings.isEmpty ? [] : ratings + [question?.abstained ?? -1]
            let expected = (1...3).map { form.shown("\($0)", to: index) }
            #expect(data.isEmpty ? expected.allSatisfy { $0 == 0 } : data == expected, "\(comment): \(key)")
        }
    }
}
