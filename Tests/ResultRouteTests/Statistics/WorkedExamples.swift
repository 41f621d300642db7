import Contract
import Domain
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import HTTPAPI

/// The program returns the numbers in `docs/statistics.md`. `scripts/python/check_statistics.py` checks their
/// derivation.
@Suite struct WorkedExamples {
    /// A question with its answers, and the table of numbers below them.
    private struct Example {
        var block: JSONValue
        var rows: [(member: String, value: String)]
    }

    private static func page() throws -> String {
        try String(contentsOf: Repository.url("docs/statistics.md"), encoding: .utf8)
    }

    private static func examples() throws -> [Example] {
        try page().components(separatedBy: "```json example\n").dropFirst().map { part in
            let pieces = part.components(separatedBy: "```\n\n")
            let table = pieces[1].components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst(2)
            let rows = table.map { line in
                line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            }
            return Example(
                block: try JSONValue.parse(Array(pieces[0].utf8)), rows: rows.map { ($0[0], $0[$0.count - 1]) })
        }
    }

    private static func result(_ block: JSONValue) throws -> JSONValue {
        let form = PreparedForm(
            try FormDefinition(json: .object([.init("questions", .array([block["question"] ?? .null]))])))
        let question = try #require(form.questions.first)
        var counts: [String: Int] = [:]
        let answers = try #require(block["answers"]?.array)
        for answer in answers {
            let given = try form.answers(from: .object([.init(question.key, answer)]))
            for key in form.tally(given) { counts[key.bucket, default: 0] += 1 }
        }
        let room = Room(
            attended: 0, listed: 0, headcount: block["headcount"]?.int, submissions: answers.count, onceOnly: true)
        return try JSONValue(
            encoding: QuestionResults(QuestionResult.make(question: question, counts: counts).placed(in: room)))
    }

    private static func member(_ path: String, of value: JSONValue) -> JSONValue? {
        path.split { ".[]".contains($0) }.reduce(value) { value, step in
            Int(step).map { value?[$0] } ?? value?[String(step)]
        }
    }

    @Test func workedExamplesMatchTheProgram() throws {
        let examples = try Self.examples()
        #expect(examples.count >= 16)
        for example in examples {
            let result = try Self.result(example.block)
            for (name, value) in example.rows where name != "responseRate" {
                let member = try #require(Self.member(name, of: result), "\(name)")
                guard value != "null" else {
                    #expect(member == .null, "\(name)")
                    continue
                }
                let (number, expected) = (try #require(member.double), try #require(Double(value)))
                // The page rounds to four decimals, or to three for values of 10 and above.
                #expect(abs(number - expected) <= (abs(number) < 10 ? 0.000_050_01 : 0.000_500_01), "\(name)")
            }
        }
    }
}
