import Domain
import Foundation
import Store
import StrictJSON
import Synchronization
import TestSupport
import Testing

/// A record, independent of the service, of every version and answer that was acknowledged for one form.
final class AnswerLedger: Sendable {
    /// A submission as its author sent it, with the receipt.
    struct Entry: Sendable {
        var receipt: SubmissionReceipt
        var version: Int
        /// The answers as sent, without skipped ones; nil once the submission is withdrawn.
        var answers: [String: JSONValue]?
        /// The answers as the database stored them when they were acknowledged.
        var stored: String?
    }

    struct State {
        var definition: FormDefinition
        var versions: [Int: FormDefinition]
        /// Every question of any version, as last defined.
        var known: [String: Question]
        var entries: [UUID: Entry] = [:]
        var isOpen = true
    }

    let state: Mutex<State>

    init(_ definition: FormDefinition) {
        state = Mutex(
            State(
                definition: definition, versions: [1: definition],
                known: Dictionary(uniqueKeysWithValues: definition.questions.map { ($0.key, $0) })))
    }

    func recordVersion(_ definition: FormDefinition, _ version: Int) {
        state.withLock { state in
            state.definition = definition
            state.versions[version] = definition
            for question in definition.questions { state.known[question.key] = question }
        }
    }

    func record(_ entry: Entry) { state.withLock { $0.entries[entry.receipt.id] = entry } }

    /// The answers that are counted, without null, `[]` and blank text. `other` texts follow the chosen options.
    static func countedAnswers(_ json: JSONValue) -> [String: JSONValue] {
        Dictionary(
            uniqueKeysWithValues: (json.members ?? []).compactMap { member in
                switch member.value {
                case .null: return nil
                case .array(let elements) where elements.isEmpty: return nil
                case .string(let text) where text.allSatisfy(\.isWhitespace): return nil
                case .array(let elements):
                    let (otherTexts, options) = (
                        elements.filter { $0.string == nil }, elements.filter { $0.string != nil }
                    )
                    return (member.name, .array(options + otherTexts))
                default: return (member.name, member.value)
                }
            })
    }

    /// No text and no option of a random form is equal to this.
    private static let abstention = JSONValue.string("abstain")

    /// Whether a question was asked, computed from the JSON of the condition and of the answers.
    private static func isAsked(_ question: Question, _ answers: [String: JSONValue]) -> Bool {
        guard let condition = question.json["showIf"] else { return true }
        if let tests = condition["all"]?.array { return tests.allSatisfy { holds($0, answers) } }
        return condition["any"]?.array?.contains { holds($0, answers) } ?? holds(condition, answers)
    }

    private static func holds(_ test: JSONValue, _ answers: [String: JSONValue]) -> Bool {
        let answer = answers[test["question"]?.string ?? ""]
        if let expected = test["answered"]?.bool { return (answer != nil && answer != abstention) == expected }
        guard let answer else { return false }
        if answer == abstention { return test["is"] == abstention }
        if let least = test["atLeast"]?.int { return answer.int ?? .min >= least }
        if let most = test["atMost"]?.int { return answer.int ?? .max <= most }
        let selected = (answer.array ?? [answer]).map { $0["other"] == nil ? $0 : .string("other") }
        if let value = test["is"] { return selected.contains(value) }
        return test["isNot"].map { !selected.contains($0) } ?? false
    }

    /// The counts of every key, computed from the answers only.
    static func counts(_ state: State) -> [String: [String: Int]] {
        var counts: [String: [String: Int]] = [:]
        for entry in state.entries.values {
            guard let answers = entry.answers else { continue }
            for question in state.versions[entry.version]?.questions ?? [] {
                guard isAsked(question, answers) else { continue }
                var counted = ["#skipped"]
                if let answer = answers[question.key] {
                    counted =
                        answer == abstention
                        ? ["#abstained"] : ["#answered"] + buckets(answer, question.kind.name)
                }
                for bucket in counted { counts[question.key, default: [:]][bucket, default: 0] += 1 }
            }
        }
        return counts
    }

    private static func buckets(_ answer: JSONValue, _ kind: Question.KindName) -> [String] {
        switch (kind, answer) {
        case (.text, _): []
        case (_, .array(let elements)): elements.map { $0.string ?? "other" }
        case (_, .string(let id)): [id]
        case (_, .number(let digits)): [digits]
        default: ["other"]
        }
    }

    /// Checks that the results equal the counts of the ledger, for every key and bucket of any version.
    func expect(_ results: FormResults) {
        let state = state.withLock { $0 }
        let counts = Self.counts(state)
        let newest = state.versions.keys.max() ?? 0
        #expect(results.version == newest)
        #expect(results.submissions == state.entries.values.count { $0.answers != nil })
        #expect(Set(results.questions.map(\.key)) == Set(state.known.keys))
        #expect(
            results.questions.prefix(state.definition.questions.count).map(\.key)
                == state.definition.questions.map(\.key))
        for question in results.questions {
            var reported = Dictionary(uniqueKeysWithValues: question.points.map { ($0.id, $0.count) })
            (reported["#answered"], reported["#skipped"]) = (question.answered, question.skipped)
            reported["#abstained"] = question.abstained
            #expect(reported.filter { $0.value > 0 } == counts[question.key] ?? [:], "\(question.key)")
            #expect(question.title == state.known[question.key]?.title)
            let asking = state.versions.filter { $0.value.questions.contains { $0.key == question.key } }.keys
            #expect(question.versions?.lowerBound == asking.min() && question.versions?.upperBound == asking.max())
            #expect(question.isRetired == !state.definition.questions.contains { $0.key == question.key })
        }
    }
}
