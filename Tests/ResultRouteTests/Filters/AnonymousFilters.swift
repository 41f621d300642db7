import Contract
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct AnonymousFilters {
    private static func rating(_ key: String) -> String {
        "{\"key\": \"\(key)\", \"kind\": \"rating\", \"title\": \"\(key)\", \"max\": 9}"
    }

    /// A meeting with a closed anonymous form of ratings. Each submission has the answers to `keys` in their order; 0
    /// stands for no answer.
    private static func closedMeeting(
        _ service: TestService, _ keys: [String], _ submissions: [[Int]], minimum: Int = 3
    ) async throws -> TestMeeting {
        let questions = "[\(keys.map(rating).joined(separator: ", "))]"
        let meeting = try await service.openMeeting(
            questions, settings: "\"anonymous\": true, \"minimumGroup\": \(minimum)")
        for answers in submissions {
            let members = zip(keys, answers).filter { $0.1 > 0 }.map { "\"\($0.0)\": \($0.1)" }
            try await meeting.submit("{\(members.joined(separator: ", "))}").expect(201)
        }
        try await meeting.perform("close").expect(200)
        return meeting
    }

    private static func filter(
        _ meeting: TestMeeting, _ query: String
    ) async throws -> HTTPTestClient.Response { try await meeting.host.get("\(meeting.path)/results\(query)") }

    @Test func filtersRequireAClosedFormWithNothingWithheld() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            for _ in 0..<2 { try await meeting.submit(#"{"pace": 4}"#).expect(201) }
            let queries = ["?where=pace:4", "?where=pace:1", "/crosstab?rows=pace&columns=topics"]
            for verb in ["publish", "close"] {
                try await meeting.perform(verb).expect(200)
                for query in queries {
                    let early = try await Self.filter(meeting, query)
                    #expect(early.status == 409 && early.problem == "results-withheld", "\(verb) \(query)")
                }
            }
            let three = try await Self.closedMeeting(service, ["pace"], [[4], [4], [4]])
            let filtered = try await Self.filter(three, "?where=pace:4").expect(200).decoded(as: FilteredResults.self)
            #expect(filtered.results.submissions == 3 && filtered.results.withheld == nil)
            let none = try await Self.filter(three, "?where=pace:1").expect(200).decoded(as: FilteredResults.self)
            #expect(none.results.submissions == 0, "the results already show that the answer has no submissions")
        }
    }

    @Test func smallGroupIsRefusedWithoutRevealingWhichGroupIsSmall() async throws {
        try await TestService.run { service in
            let meeting = try await Self.closedMeeting(
                service, ["team", "pace"], [[1, 1], [1, 1], [1, 1], [2, 1], [1, 2], [1, 2], [1, 2], [1, 2]])
            var texts: Set<String> = []
            for team in 1...9 {
                let response = try await Self.filter(meeting, "?where=team:\(team)")
                #expect(response.status == 422 && response.problem == "group-too-small")
                #expect(response.faults == ["?where group-too-small"])
                texts.insert(response.text.replacing(response.json?["instance"]?.string ?? "-", with: ""))
            }
            #expect(texts.count == 1, "the response is the same for every value")
            for query in ["rows=team&columns=pace", "rows=pace&columns=team"] {
                let table = try await Self.filter(meeting, "/crosstab?\(query)")
                #expect(table.problem == "group-too-small" && table.faults.count == 1)
            }
            #expect(try await Self.filter(meeting, "?where=pace:1").status == 200)
        }
    }

    /// If only one person gave an answer, no filter shows that person's other answers.
    @Test func rareAnswerIsOmittedFromFilteredResults() async throws {
        try await TestService.run { service in
            let meeting = try await Self.closedMeeting(
                service, ["team", "pace", "mood"],
                [[1, 1, 1], [1, 1, 2], [1, 1, 1], [2, 1, 2], [1, 2, 1], [1, 2, 2], [1, 2, 1], [1, 2, 2]])
            let filtered = try await Self.filter(meeting, "?where=pace:1").expect(200).decoded(as: FilteredResults.self)
            #expect(filtered.results.withheld == .init(reason: "minimum-group", minimum: 3, shown: 4))
            let (team, mood) = (filtered.results.questions[0], filtered.results.questions[2])
            #expect(team.datasets?.first?.data == [] && team.points == [] && team.answered == 0 && team.skipped == 0)
            #expect(team.summary?.mean == nil)
            #expect(mood.datasets?.first?.data.prefix(2) == [2, 2])
            let unfiltered = try await meeting.results().decoded(as: Results.self)
            #expect(unfiltered.questions[0].datasets?.first?.data.prefix(2) == [7, 1])
        }
    }

    @Test func skippedAnswersFormAGroupToo() async throws {
        try await TestService.run { service in
            let meeting = try await Self.closedMeeting(
                service, ["a", "b"], [[1, 1], [1, 1], [1, 1], [1, 1], [0, 1], [0, 1]])
            #expect(try await Self.filter(meeting, "?where=a:1").problem == "group-too-small")
            #expect(try await Self.filter(meeting, "?where=b:1").status == 200)
        }
    }

    @Test func anonymousFormsAllowOneConditionAndNoMultipleChoice() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            for _ in 0..<3 { try await meeting.submit(#"{"pace": 4, "topics": ["demo"]}"#).expect(201) }
            try await meeting.perform("close").expect(200)
            let twoConditions = try await Self.filter(meeting, "?where=pace:4&where=pace:4")
            #expect(twoConditions.status == 422 && twoConditions.faults == ["?where too-many-conditions"])
            #expect(try await Self.filter(meeting, "?where=topics:demo").problem == "group-too-small")
            #expect(
                try await Self.filter(meeting, "/crosstab?rows=pace&columns=topics").faults
                    == ["?columns group-too-small"])
        }
    }

    /// The answers to each question alone form large groups, but those to both together form a small one. So results
    /// may be filtered only by the first question of the form.
    @Test func onlyOneOfTwoQuestionsThatTogetherIdentifySomebodyIsFilterable() async throws {
        try await TestService.run { service in
            let people = [[1, 1], [1, 1], [1, 1], [2, 2], [2, 2], [2, 2], [1, 2]]
            let meeting = try await Self.closedMeeting(service, ["a", "b"], people)
            #expect(try await Self.filter(meeting, "?where=a:1").status == 200)
            #expect(try await Self.filter(meeting, "?where=b:2").problem == "group-too-small")
            #expect(
                try await Self.filter(meeting, "/crosstab?rows=a&columns=b").faults == ["?columns group-too-small"])
            // A new order of the questions does not change by which question results may be filtered.
            try await meeting.define(
                "{\"anonymous\": true, \"minimumGroup\": 3, \"questions\": [\(Self.rating("b")), \(Self.rating("a"))]}"
            ).expect(200)
            #expect(try await Self.filter(meeting, "?where=a:1").status == 200)
            #expect(try await Self.filter(meeting, "?where=b:2").problem == "group-too-small")
        }
    }

    /// The first six people all rate trust with 1, and their counts are read. Of those who answer later, only one is in
    /// team 1. The difference between filtered results, by trust or by team, and the earlier counts would disclose that
    /// person's answer.
    @Test(arguments: [["trust", "team"], ["team", "trust"]])
    func filterDoesNotDiscloseAnAnswerGivenBetweenTwoReadings(_ keys: [String]) async throws {
        try await TestService.run { service in
            let early = [[1, 1], [1, 1], [1, 1], [1, 2], [1, 2], [1, 2]]
            let late = [[1, 2], [1, 2], [1, 2], [1, 2], [2, 2], [2, 2], [2, 2], [2, 2], [2, 1]]
            for isRead in [true, false] {
                let questions = "[\(keys.map(Self.rating).joined(separator: ", "))]"
                let meeting = try await service.openMeeting(
                    questions, settings: #""anonymous": true, "minimumGroup": 3"#)
                for (number, answers) in (early + late).enumerated() {
                    try await meeting.submit("{\"trust\": \(answers[0]), \"team\": \(answers[1])}").expect(201)
                    guard isRead, number == 8 else { continue }
                    let earlyResults = try await meeting.results().decoded(as: Results.self)
                    #expect(earlyResults.withheld?.shown == 6)
                }
                try await meeting.perform("close").expect(200)
                for isFinal in [false, true] {
                    if isFinal { try await meeting.finish() }
                    let filtered = try await Self.filter(meeting, "?where=\(keys[0]):1")
                        .expect(200).decoded(as: FilteredResults.self)
                    let other = filtered.results.questions[1]
                    #expect((other.answered == 0) == isRead, "final: \(isFinal)")
                    #expect((filtered.results.withheld != nil) == isRead, "final: \(isFinal)")
                    #expect(filtered.results.questions[0].answered == filtered.results.submissions)
                    #expect(try await Self.filter(meeting, "?where=\(keys[1]):1").problem == "group-too-small")
                }
            }
        }
    }

    @Test func raisedMinimumAppliesAtOnce() async throws {
        try await TestService.run { service in
            let meeting = try await Self.closedMeeting(service, ["a"], [[1], [1], [1], [2], [2], [2], [2]])
            #expect(try await Self.filter(meeting, "?where=a:2").status == 200)
            try await meeting.define(
                "{\"anonymous\": true, \"minimumGroup\": 4, \"questions\": [\(Self.rating("a"))]}"
            ).expect(200)
            #expect(try await Self.filter(meeting, "?where=a:2").problem == "group-too-small")
        }
    }
}
