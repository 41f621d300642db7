import Foundation
import StrictJSON
import TestSupport
import Testing

/// The service computes the results of generated series. SciPy computes each number again from the individual answers.
@Suite(.timeLimit(.minutes(15))) struct IndependentRounds {
    /// A question with its individual answers in each round. The element of a round without the question is nil.
    private struct GeneratedQuestion {
        var name: String
        var definition: String
        var options: [String]?
        var isMultiple = false
        var isNPS = false
        var rounds: [[JSONValue?]?]

        /// The answer in a submission. A single choice is sent as one id.
        func sent(_ answer: JSONValue) -> JSONValue {
            options != nil && !isMultiple ? answer[0] ?? .null : answer
        }
    }

    /// The seeds are checked together, because starting Python with SciPy takes longer than the comparison.
    private static let seeds: [UInt64] = [1, 2, 3]

    @Test func trendsAndPooledResultsMatchSciPy() async throws {
        var trends: [JSONValue] = []
        var pooled: [JSONValue] = []
        for seed in Self.seeds {
            let cases = try await TestService.run { service in
                var random = SeededNumbers(seed: seed)
                let questions = Self.questions(&random)
                try await Self.fill(questions, service)
                let series = try #require(try await service.host.get("/v1/series").json?["items"]?[0]?["id"]?.string)
                let pool = try await service.host.get("/v1/series/\(series)/results").expect(200)
                var cases: (trends: [JSONValue], pooled: [JSONValue]) = ([], [])
                for question in questions {
                    let path = "/v1/series/\(series)/trend?key=\(question.name)"
                    let trend = try await service.host.get(path).expect(200)
                    let result = pool.json?["questions"]?.array?.first { $0["key"]?.string == question.name }
                    let name = "seed \(seed), \(question.name)"
                    cases.trends.append(Self.testCase(question, name, try #require(trend.json)))
                    cases.pooled.append(Self.testCase(question, name, try #require(result)))
                }
                return cases
            }
            trends += cases.trends
            pooled += cases.pooled
        }
        let report = try await RoundsCheck.run(
            .object([
                .init("trends", .array(trends)), .init("pooled", .array(pooled)), .init("rankings", .array([])),
            ]))
        #expect(report.succeeded, "\(report.lines.suffix(20))")
        let compared = report.lines.last.flatMap { Int($0.prefix { $0.isNumber }) }
        #expect(compared.map { $0 > 1_500 } == true, "\(report.lines)")
    }

    @Test func rankingsMatchNumPy() async throws {
        var cases: [JSONValue] = []
        for seed in Self.seeds { cases += try await Self.rankings(seed) }
        let report = try await RoundsCheck.run(
            .object([
                .init("trends", .array([])), .init("pooled", .array([])), .init("rankings", .array(cases)),
            ]))
        #expect(report.succeeded, "six cases for each of the seeds \(Self.seeds): \(report.lines.suffix(20))")
    }

    private static func rankings(_ seed: UInt64) async throws -> [JSONValue] {
        try await TestService.run { service in
            var random = SeededNumbers(seed: seed)
            var cases: [JSONValue] = []
            // Each key is a different case, such as one group, one answer for each group, equal groups, and random
            // answers.
            for (key, groups) in [
                ("one", [[4, 5, 1]]), ("single", [[1], [5], [3]]), ("equal", [[4, 4], [4, 4, 4]]),
                ("apart", [[5, 5, 5], [1, 1], []]), ("empty", [[], [2, 3]]),
                ("any", (0..<9).map { _ in (0..<random.int(0...6)).map { _ in random.int(1...5) } }),
            ] as [(String, [[Int]])] {
                for (index, ratings) in groups.enumerated() {
                    let created = try await service.host.post(
                        "/v1/meetings",
                        json: """
                            {"title": "\(key)\(index)",
                             "questions": [{"key": "\(key)", "kind": "rating", "title": "T"}]}
                            """)
                    let meeting = try TestMeeting(created: created, host: service.host, anyone: service.anyone)
                    try await meeting.perform("publish").expect(200)
                    for rating in ratings { try await meeting.submit("{\"\(key)\": \(rating)}").expect(201) }
                }
                let ranking = try await service.host.get("/v1/rankings?key=\(key)&by=meeting").expect(200).json
                let all = groups.enumerated().map { index, ratings in
                    JSONValue.Member("\(key)\(index)", .array(ratings.map { JSONValue($0) }))
                }
                cases.append(
                    .object([
                        .init("prior", try #require(ranking?["prior"])),
                        .init("items", try #require(ranking?["items"])),
                        .init("groups", .object(all)),
                    ]))
            }
            return cases
        }
    }

    /// Questions of every kind. Some of their rounds have no, one or two answers, equal answers or only skips. Others
    /// do not have the question.
    private static func questions(_ random: inout SeededNumbers) -> [GeneratedQuestion] {
        var all: [GeneratedQuestion] = []
        for (key, low, high, metric) in [("pace", 1, 5, "mean"), ("score", 0, 10, "nps"), ("narrow", 0, 2, "mean")] {
            let (least, most) = (JSONValue(low), JSONValue(high))
            let rounds: [[JSONValue?]?] = [
                [], [], [least], [most, nil], [least, most], nil, [most, most, most], [nil, nil, nil],
                random.answers(7) { JSONValue($0.int(low...high)) },
                random.answers(11) { JSONValue($0.int(low...high)) },
            ]
            all.append(
                GeneratedQuestion(
                    name: key,
                    definition: """
                        {"key": "\(key)", "kind": "rating", "title": "T", "min": \(low), "max": \(high),
                         "metric": "\(metric)"}
                        """, isNPS: metric == "nps", rounds: rounds))
        }
        for (key, isMultiple) in [("many", true), ("one", false)] {
            let one = JSONValue.array([.string("b")])
            let rounds: [[JSONValue?]?] = [
                [], [one], [], nil, [nil, nil], random.answers(2) { $0.chosen(isMultiple) }, [one, one, one], nil,
                random.answers(9) { $0.chosen(isMultiple) }, random.answers(5) { $0.chosen(isMultiple) },
            ]
            all.append(
                GeneratedQuestion(
                    name: key,
                    definition: """
                        {"key": "\(key)", "kind": "choice", "title": "T", "multiple": \(isMultiple), "options":
                         [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}, {"id": "c", "label": "C"}]}
                        """, options: ["a", "b", "c"], isMultiple: isMultiple, rounds: rounds))
        }
        let word = JSONValue.string("x")
        all.append(
            GeneratedQuestion(
                name: "why", definition: #"{"key": "why", "kind": "text", "title": "T"}"#,
                rounds: [
                    [], nil, [word], [nil], [], [word, nil], nil, [nil, nil], random.answers(8) { _ in word },
                    random.answers(3) { _ in word },
                ]))
        return Self.padded(all)
    }

    /// Adds skips, so that all questions of a round have an answer or a skip for each submission.
    private static func padded(_ questions: [GeneratedQuestion]) -> [GeneratedQuestion] {
        var questions = questions
        for round in questions[0].rounds.indices {
            let most = questions.compactMap { $0.rounds[round]?.count }.max() ?? 0
            for index in questions.indices {
                guard let answers = questions[index].rounds[round] else { continue }
                questions[index].rounds[round] = answers + Array(repeating: nil, count: most - answers.count)
            }
        }
        return questions
    }

    /// Creates the rounds and sends the answers, one submission after the other.
    private static func fill(_ questions: [GeneratedQuestion], _ service: TestService) async throws {
        var last: TestMeeting?
        for index in questions[0].rounds.indices {
            let included = questions.filter { $0.rounds[index] != nil }
            let form = "[\(included.map(\.definition).joined(separator: ", "))]"
            let round: TestMeeting
            if let last {
                round = try await last.next("\"questions\": \(form)")
            } else {
                round = try await service.openMeeting(form)
            }
            for turn in 0..<(included[0].rounds[index]?.count ?? 0) {
                let members = included.compactMap { question in
                    (question.rounds[index]?[turn]).map { JSONValue.Member(question.name, question.sent($0)) }
                }
                try await round.submit(JSONValue.object(members).text).expect(201)
            }
            last = round
        }
    }

    private static func testCase(_ question: GeneratedQuestion, _ name: String, _ response: JSONValue) -> JSONValue {
        let answers = question.rounds.map { round in round.map { .array($0.map { $0 ?? .null }) } ?? JSONValue.null }
        let optionIDs = JSONValue.array((question.options ?? []).map { .string($0) })
        return .object([
            .init("name", .string(name)), .init("nps", .bool(question.isNPS)), .init("response", response),
            .init("answers", .array(answers)),
            .init("offers", .array(question.rounds.map { $0 == nil ? .null : optionIDs })),
        ])
    }
}

extension SeededNumbers {
    /// Random answers, about a fifth of them skipped.
    fileprivate mutating func answers(_ count: Int, _ answer: (inout SeededNumbers) -> JSONValue) -> [JSONValue?] {
        (0..<count).map { _ in int(0...4) == 0 ? nil : answer(&self) }
    }

    fileprivate mutating func chosen(_ isMultiple: Bool) -> JSONValue {
        guard isMultiple else { return .array([.string(one(of: ["a", "b", "c"]))]) }
        let options = ["a", "b", "c"].filter { _ in chance() }
        return .array((options.isEmpty ? ["c"] : options).map { .string($0) })
    }
}
