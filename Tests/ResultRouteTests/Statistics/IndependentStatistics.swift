import Domain
import Foundation
import StrictJSON
import TestSupport
import Testing

/// SciPy and NumPy compute all numbers again from the raw answers, in `scripts/python/check_statistics.py`.
@Suite(.timeLimit(.minutes(15))) struct IndependentStatistics {
    private static func check(_ records: [JSONValue]) async throws {
        try await IndependentCheck.run("scripts/python/check_statistics.py", input: JSONValue.array(records).text)
    }

    /// Checks the forms of all seeds together, because starting Python with SciPy takes longer than the comparison.
    private static func expectAgreement(
        on seeds: [UInt64], _ make: (UInt64, TestService) async throws -> [JSONValue]
    ) async throws {
        try await TestService.run { service in
            var records: [JSONValue] = []
            for seed in seeds { records += try await make(seed, service) }
            try await check(records)
        }
    }

    @Test func statisticsAgreeWithTheDocumentedExamples() async throws {
        try await IndependentCheck.run(
            "scripts/python/check_statistics.py", ["--examples", IndependentCheck.root + "/docs/statistics.md"])
    }

    /// Random forms with edits, corrections and withdrawals between the answers.
    @Test func statisticsAgreeOnGeneratedForms() async throws {
        try await Self.expectAgreement(on: [1, 2, SeededNumbers.freshSeed(), SeededNumbers.freshSeed()]) {
            seed, service in
            var random = SeededNumbers(seed: seed)
            var records: [JSONValue] = []
            for number in 0..<8 {
                var form = try await CheckedForm(
                    "seed \(seed), form \(number)", random.definition(),
                    headcount: random.chance() ? random.one(of: [13, 20, 37, 64, 700]) : nil, in: service)
                for _ in 0..<[0, 1, 2, 5, 12, 12, 30, 60][number] {
                    try await form.submit(&random)
                    switch random.int(0...7) {
                    case 0: try await form.edit(&random)
                    case 1: try await form.correct(&random)
                    case 2 where form.count > 1: try await form.withdraw(&random)
                    default: break
                    }
                }
                records.append(try await form.record())
            }
            return records
        }
    }

    /// Questions of every kind, with answers for which formulas may fail.
    @Test func statisticsAgreeInEdgeCases() async throws {
        let options = (0..<50).map { Question.Option(id: "o\($0)", label: "\($0)") }
        let definition = FormDefinition(questions: [
            Question(key: "nps", title: "N", kind: .rating(.init(min: 0, max: 10, metric: .nps))),
            Question(key: "one", title: "1", kind: .choice(.init(options: options))),
            Question(key: "many", title: "+", kind: .choice(.init(options: options, multiple: true, other: true))),
            Question(key: "text", title: "T", kind: .text(maxLength: 100)),
            Question(key: "pair", title: "2", kind: .rating(.init(min: 0, max: 1))),
        ])
        let answers = { (rating: Int) in
            let choices = options.map { JSONValue.string($0.id) } + [.object([.init("other", .string("x"))])]
            return JSONValue.object([
                .init("nps", JSONValue(rating)), .init("one", .string("o\(rating)")),
                .init("many", .array(rating == 0 ? [choices[50]] : Array(choices.prefix(rating * 5 + 1)))),
                .init("text", .string("…")), .init("pair", JSONValue(rating % 2)),
            ])
        }
        let nothing = JSONValue.object([])
        let cases: [(String, [JSONValue])] = [
            ("no answers", []), ("one", [answers(7)]), ("two that differ", [answers(0), answers(10)]),
            ("two equal", [answers(10), answers(10)]), ("all equal", Array(repeating: answers(9), count: 25)),
            ("all detractors", Array(repeating: answers(0), count: 7)), ("all skipped", [nothing, nothing, nothing]),
            ("one of many", [nothing, answers(8), nothing]),
            ("both ends", (0..<40).map { answers($0 % 2 * 10) }), ("every value", (0...10).map { answers($0) }),
        ]
        try await TestService.run { service in
            var records: [JSONValue] = []
            for (name, submissions) in cases {
                var form = try await CheckedForm(name, definition, in: service)
                for submission in submissions { try await form.submit(submission) }
                records.append(try await form.record())
            }
            try await Self.check(records)
        }
    }

    /// Rooms of every size whose people are silent in part, with answers in the middle and at the ends of the scale.
    @Test func statisticsAgreeInRooms() async throws {
        let definition = FormDefinition(questions: [
            Question(key: "nps", title: "N", kind: .rating(.init(min: 0, max: 10, metric: .nps))),
            Question(key: "pace", title: "P", kind: .rating(.init())),
            Question(
                key: "again", title: "A",
                kind: .choice(.init(options: [.init(id: "yes", label: "Yes"), .init(id: "no", label: "No")]))),
        ])
        var random = SeededNumbers(seed: 26)
        func answers(_ isTop: Bool) -> JSONValue {
            let nps = isTop ? random.int(9...10) : random.int(0...10)
            return .object([
                .init("nps", JSONValue(nps)), .init("pace", JSONValue(isTop ? 5 : random.int(1...5))),
                .init("again", random.int(0...3) == 0 ? .null : .string(random.chance() ? "yes" : "no")),
            ])
        }
        try await TestService.run { service in
            var records: [JSONValue] = []
            for (answered, people) in [
                (0, 4), (1, 1), (1, 2), (1, 9), (2, 3), (3, 2), (3, 5), (4, 5), (11, 12), (12, 12), (9, 30), (18, 30),
                (28, 30), (12, 500), (12, 501), (30, 31),
            ] {
                for isTop in [true, false] {
                    var form = try await CheckedForm(
                        "\(answered) of \(people), \(isTop)", definition, headcount: people, in: service)
                    for _ in 0..<answered { try await form.submit(answers(isTop)) }
                    records.append(try await form.record())
                }
            }
            try await Self.check(records)
        }
    }

    /// The check also recomputes how many submissions are released if they arrive one by one.
    @Test func statisticsAgreeOnReleasedCounts() async throws {
        try await Self.expectAgreement(on: [1, SeededNumbers.freshSeed()]) { seed, service in
            var random = SeededNumbers(seed: seed)
            var records: [JSONValue] = []
            for count in [0, 1, 3, 5, 6, 7, 11, 14] {
                var form = try await CheckedForm(
                    "seed \(seed), of \(count)", random.definition(), headcount: random.chance() ? 16 : nil,
                    minimumGroup: random.int(3...4),
                    anonymous: random.chance(), in: service)
                for _ in 0..<count { try await form.submit(&random) }
                records.append(try await form.record())
                try await form.close()
                records.append(try await form.record())
            }
            return records
        }
    }

    /// Tests the check itself: it must detect wrong numbers.
    @Test func wrongNumberIsDetected() async throws {
        try await TestService.run { service in
            let question = Question(key: "n", title: "N", kind: .rating(.init(min: 0, max: 10)))
            var form = try await CheckedForm("one", FormDefinition(questions: [question]), in: service)
            try await form.submit(.object([.init("n", JSONValue(7))]))
            let text = try await form.record().text
            let wrongNumbers = [("count", "1", "2"), ("skipped", "0", "1"), ("mean", "7", "7.00000001")]
            let records = wrongNumbers.map { name, right, wrong in
                #expect(text.contains("\"\(name)\":\(right)"))
                return text.replacingOccurrences(of: "\"\(name)\":\(right)", with: "\"\(name)\":\(wrong)")
                    .replacingOccurrences(of: "\"one\"", with: "\"a wrong \(name)\"")
            }
            let failure = await #expect(throws: TestServerFailure.self) {
                try await IndependentCheck.run(
                    "scripts/python/check_statistics.py", input: "[\(records.joined(separator: ","))]")
            }
            let reason = failure?.reason ?? ""
            for (name, _, _) in wrongNumbers { #expect(reason.contains("a wrong \(name)"), "\(reason)") }
        }
    }
}
