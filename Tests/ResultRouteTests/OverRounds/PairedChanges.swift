import Contract
import StrictJSON
import TestSupport
import Testing

/// The people who answered two rounds are compared with themselves, and with nobody else.
@Suite(.timeLimit(.minutes(15))) struct PairedChanges {
    private static let named = #""identity": "attendee""#
    private static let questions = """
        [{"key": "pace", "kind": "rating", "title": "Pace"},
         {"key": "score", "kind": "rating", "title": "Score", "min": 0, "max": 10, "metric": "nps"},
         {"key": "topics", "kind": "choice", "title": "Topics", "multiple": true,
          "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}]},
         {"key": "again", "kind": "choice", "title": "Again?",
          "options": [{"id": "yes", "label": "Yes"}, {"id": "no", "label": "No"}], "other": true},
         {"key": "why", "kind": "text", "title": "Why?"}]
        """
    private static let rating = #"[{"key": "pace", "kind": "rating", "title": "Pace"}]"#

    /// A person's answers, by question.
    private typealias Sheet = [JSONValue.Member]

    /// Puts a person on the list and sends their answers by their personal link.
    @discardableResult
    private static func answer(
        _ meeting: TestMeeting, _ person: String, _ answers: String
    ) async throws -> (token: String, reply: HTTPTestClient.Response) {
        let id = try await meeting.add(person, "\(person)@example.org").expect(201).string("id")
        let link = try await meeting.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200)
        let token = try link.string("token")
        return (token, try await meeting.submit(answers, respondent: token).expect(201))
    }

    private static func rate(_ meeting: TestMeeting, _ ratings: [(String, Int)]) async throws {
        for (person, rating) in ratings { try await answer(meeting, person, "{\"pace\": \(rating)}") }
    }

    private static func changes(_ meeting: TestMeeting) async throws -> RoundChanges {
        try await meeting.host.get("\(meeting.path)/results/changes").expect(200).decoded(as: RoundChanges.self)
    }

    private static func pace(_ meeting: TestMeeting) async throws -> RoundChanges.Number {
        try #require(try await changes(meeting).questions.first { $0.key == "pace" }?.numbers.first)
    }

    private static let five = [("ann", 2), ("ben", 3), ("cem", 3), ("dea", 4), ("eva", 5)]

    @Test func pairsMatchSciPy() async throws {
        var cases: [JSONValue] = []
        for seed in [1, 2, 3] as [UInt64] {
            cases.append(
                try await TestService.run { service in
                    var random = SeededNumbers(seed: seed)
                    let first = try await service.openMeeting(Self.questions, settings: Self.named)
                    let second = try await first.next()
                    let people = (0..<22).map { "person\($0)" }
                    let earlier = people.prefix(20).map { ($0, Self.sheet(&random)) }
                    let later = people.dropFirst(2).map { ($0, Self.sheet(&random)) }
                    for (person, sheet) in earlier {
                        try await Self.answer(first, person, JSONValue.object(sheet).text)
                    }
                    for (person, sheet) in later { try await Self.answer(second, person, JSONValue.object(sheet).text) }
                    let response = try await service.host.get("\(second.path)/results/changes").expect(200)
                    return .object([
                        .init("name", .string("seed \(seed)")), .init("response", try #require(response.json)),
                        .init("earlier", .object(earlier.map { .init($0, .object($1)) })),
                        .init("later", .object(later.map { .init($0, .object($1)) })),
                    ])
                })
        }
        let none = JSONValue.array([])
        let report = try await RoundsCheck.run(
            .object([
                .init("trends", none), .init("pooled", none), .init("rankings", none), .init("changes", .array(cases)),
            ]))
        #expect(report.succeeded, "\(report.lines.suffix(20))")
        let compared = report.lines.last.flatMap { Int($0.prefix { $0.isNumber }) }
        #expect(compared.map { $0 > 150 } == true, "\(report.lines)")
    }

    /// Random answers, some of them skipped.
    private static func sheet(_ random: inout SeededNumbers) -> Sheet {
        var sheet: Sheet = []
        if random.int(0...5) > 0 { sheet.append(.init("pace", JSONValue(random.int(1...5)))) }
        if random.int(0...5) > 0 { sheet.append(.init("score", JSONValue(random.int(4...10)))) }
        let topics = ["a", "b"].filter { _ in random.chance() }.map { JSONValue.string($0) }
        if !topics.isEmpty { sheet.append(.init("topics", .array(topics))) }
        if random.int(0...5) > 0 {
            let other = JSONValue.object([.init("other", .string("perhaps"))])
            sheet.append(.init("again", random.int(0...4) == 0 ? other : .string(random.chance() ? "yes" : "no")))
        }
        return sheet
    }

    @Test func fewerThanFivePairsAreNotShown() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(Self.rating, settings: Self.named)
            try await Self.rate(first, Self.five)
            let second = try await first.next()
            try await Self.rate(second, [("ann", 5), ("ben", 4), ("cem", 4), ("dea", 4), ("new", 1)])
            var pace = try await Self.pace(second)
            #expect(pace.pairs == nil && pace.unpaired == "too-few" && pace.sinceRound == 1)
            try await Self.rate(second, [("eva", 5)])
            pace = try await Self.pace(second)
            #expect(pace.pairs?.n == 5 && pace.unpaired == nil && pace.pairs?.test == "paired-t")
            #expect(pace.pairs?.earlier == 3.4 && pace.pairs?.later == 4.4 && pace.pairs?.change == 1)
            #expect(pace.pairs?.adjustedP == pace.pairs?.p)
            let first0 = try await Self.changes(first)
            #expect(first0.questions.isEmpty && first0.comparisons == 0 && first0.minimumPairs == 5)
        }
    }

    @Test func withdrawnAnswersAreNotPairsAndCorrectionsReplaceAnswers() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(Self.rating, settings: Self.named)
            try await Self.rate(first, Self.five + [("fay", 1)])
            let second = try await first.next()
            try await Self.rate(second, Self.five)
            let (token, sent) = try await Self.answer(second, "fay", #"{"pace": 5}"#)
            #expect(try await Self.pace(second).pairs?.n == 6)
            // A second answer of the same person is refused, so each person is one pair.
            #expect(try await second.submit(#"{"pace": 1}"#, respondent: token).status == 409)
            let path = "\(second.submissionsPath)/\(try sent.string("id"))"
            let receipt = ["Authorization": "Receipt \(try sent.string("receipt"))"]
            try await second.anyone.put(path, json: #"{"answers": {"pace": 3}}"#, headers: receipt).expect(200)
            #expect(try await Self.pace(second).pairs?.change == 2.0 / 6)
            try await second.anyone.delete(path, headers: receipt).expect(204)
            let pairs = try #require(try await Self.pace(second).pairs)
            #expect(pairs.n == 5 && pairs.change == 0 && pairs.p == nil && pairs.low == 0 && pairs.high == 0)
        }
    }

    @Test func peopleAreRecognizedByTheirAddressOnly() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(Self.rating, settings: Self.named)
            try await Self.rate(first, Self.five)
            let second = try await first.next()
            func rate(_ meeting: TestMeeting, _ name: String, _ email: String?, _ rating: Int) async throws {
                let id = try await meeting.add(name, email).expect(201).string("id")
                let link = try await meeting.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200)
                try await meeting.submit("{\"pace\": \(rating)}", respondent: try link.string("token")).expect(201)
            }
            for (person, rating) in Self.five {
                try await rate(second, "Another name", "\(person.uppercased())@EXAMPLE.org", rating)
            }
            #expect(try await Self.pace(second).pairs?.n == 5)
            let third = try await second.next()
            // The same names without an address could be other people.
            for (person, rating) in Self.five { try await rate(third, person, nil, rating) }
            let pace = try await Self.pace(third)
            #expect(pace.sinceRound == 2 && pace.unpaired == "too-few")
        }
    }

    @Test func anotherScaleIsComparedWithTheLastRoundThatHadIt() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(Self.rating, settings: Self.named)
            try await Self.rate(first, Self.five)
            let wide = try await first.next(
                #""questions": [{"key": "pace", "kind": "rating", "title": "Pace", "max": 7}]"#)
            try await Self.rate(wide, Self.five)
            #expect(try await Self.changes(wide).questions.isEmpty)
            let third = try await wide.next("\"questions\": \(Self.rating)")
            try await Self.rate(third, Self.five)
            let pace = try await Self.pace(third)
            #expect(pace.sinceRound == 1 && pace.pairs?.n == 5)
        }
    }

    @Test func formsThatDoNotNamePeopleHaveNoPairs() async throws {
        try await TestService.run { service in
            let anonymous = #""identity": "attendee", "anonymous": true, "minimumGroup": 3"#
            for settings in [anonymous, #""identity": "open""#] {
                let first = try await service.openMeeting(Self.rating, settings: settings)
                let isOpen = settings.contains("open")
                func fill(_ meeting: TestMeeting) async throws {
                    if isOpen { try await meeting.rate(2, 3, 4, 5, 5) } else { try await Self.rate(meeting, Self.five) }
                    try await meeting.perform("close").expect(200)
                }
                try await fill(first)
                let second = try await first.next()
                try await fill(second)
                let pace = try await Self.pace(second)
                #expect(pace.pairs == nil && pace.unpaired == "not-named", "\(settings)")
                let named = try await second.next(publish: false)
                try await named.define(
                    "{\(Self.named), \"anonymous\": false, \"minimumGroup\": 1, \"questions\": \(Self.rating)}"
                ).expect(200)
                try await named.perform("publish").expect(200)
                try await Self.rate(named, Self.five)
                #expect(try await Self.pace(named).unpaired == "not-named")
            }
        }
    }

    @Test func minimumGroupWithholdsPairs() async throws {
        try await TestService.run { service in
            let settings = Self.named + #", "minimumGroup": 3"#
            let first = try await service.openMeeting(Self.rating, settings: settings)
            try await Self.rate(first, Self.five + [("fay", 1)])
            try await first.perform("close").expect(200)
            let second = try await first.next()
            try await Self.rate(second, Self.five + [("gil", 2)])
            #expect(try await Self.pace(second).unpaired == "withheld")
            try await second.perform("close").expect(200)
            // Two people answered one of the rounds only. Their answers would be the difference to all answers.
            #expect(try await Self.pace(second).unpaired == "too-few")
            let third = try await second.next()
            try await Self.rate(third, Self.five + [("gil", 4)])
            try await third.perform("close").expect(200)
            #expect(try await Self.pace(third).pairs?.n == 6)
        }
    }

    @Test func minimumGroupHoldsForEachRound() async throws {
        try await TestService.run { service in
            let settings = Self.named + #", "minimumGroup": 3"#
            let first = try await service.openMeeting(Self.rating, settings: settings)
            try await Self.rate(first, Self.five + [("fay", 1)])
            try await first.perform("close").expect(200)
            let second = try await first.next()
            try await Self.rate(second, Self.five + [("gil", 2), ("hal", 2), ("ida", 2)])
            try await second.perform("close").expect(200)
            // Fay's answer would be the difference between all answers of the first round and those of the pairs.
            #expect(try await Self.pace(second).unpaired == "too-few")
        }
    }

    @Test func veryLongOwnWordsAreNotRead() async throws {
        try await TestService.run { service in
            let choice = """
                [{"key": "pace", "kind": "rating", "title": "Pace"}, {"key": "why", "kind": "choice", "title": "Why",
                  "options": [{"id": "a", "label": "A"}], "other": true}]
                """
            let first = try await service.openMeeting(choice, settings: Self.named)
            try await Self.rate(first, Self.five)
            let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
            let words = String(repeating: family, count: 1000)
            let long = #"{"pace": 3, "why": {"other": "\#(words)"}}"#
            try await Self.answer(first, "fay", #"{"pace": 3, "why": {"other": "x"}}"#)
            let second = try await first.next()
            try await Self.rate(second, Self.five)
            #expect(try await Self.pace(second).pairs?.n == 5)
            try await Self.answer(second, "fay", long)
            #expect(try await Self.pace(second).unpaired == "too-many")
        }
    }

    @Test func viewersGetThemAndStrangersDoNot() async throws {
        try await TestService.run { service in
            let first = try await service.openMeeting(Self.rating, settings: Self.named)
            try await Self.rate(first, Self.five)
            let second = try await first.next()
            try await Self.rate(second, Self.five)
            let path = "\(second.path)/results/changes"
            try await service.other.get(path).expect(404)
            try await service.anyone.get(path).expect(401)
            try await service.coHost(second)
            let seen = try await service.other.get(path).expect(200)
            #expect(!seen.text.contains("@") && !seen.text.contains("ann"))
            let token = try await APITokens.make(service.host, ["meetings:read"])
            try await service.anyone.bearing(token).get(path).expect(403)
            try await service.host.get("/v1/meetings/nothing/results/changes").expect(404)
            let tag = try #require(seen["ETag"])
            #expect(try await service.host.get(path, headers: ["If-None-Match": tag]).status == 304)
        }
    }
}
