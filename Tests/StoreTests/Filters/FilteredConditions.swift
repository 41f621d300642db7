import Domain
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import Store

/// Filters count those who were asked a conditional question, by the answers that decided it.
@Suite(.timeLimit(.minutes(15))) struct FilteredConditions {
    @Test(arguments: [1, 2, 3, 4, SeededNumbers.freshSeed(), SeededNumbers.freshSeed()])
    func filteredCountsOfConditionalQuestionsMatchTheSubmissions(_ seed: UInt64) async throws {
        try await TestStore.run { fixture in
            var random = SeededNumbers(seed: seed)
            let definition = random.definition(4...7, conditions: true)
            let meeting = try await fixture.openMeeting(JSONValue.array(Question.documents(definition.questions)).text)
            let form = PreparedForm(definition)
            var sent: [Answers] = []
            for _ in 0..<30 {
                let json = random.answers(to: definition)
                _ = try await fixture.submit(json.text, to: meeting)
                sent.append(try form.answers(from: json))
            }
            for question in definition.questions where question.kind.name != .text {
                let bucket =
                    switch question.kind {
                    case .rating(let rating) where rating.abstain != nil && random.chance(): "abstain"
                    case .rating(let rating): String(rating.max)
                    case .choice(let choice): choice.options[0].id
                    case .text: ""
                    }
                let matching = sent.filter { answers in
                    bucket == "abstain" && question.kind.name == .rating
                        ? answers[question.key] == .abstention
                        : answers[question.key]?.buckets.contains(bucket) == true
                }
                let found = try await fixture.store.filters.results(of: meeting, where: ["\(question.key):\(bucket)"])
                #expect(found.results.submissions == matching.count)
                for result in found.results.questions {
                    let asked = matching.filter { answers in
                        definition.questions.first { $0.key == result.key }?.showIf?.holds { answers[$0] } ?? true
                    }
                    #expect(result.asked == asked.count, "\(definition.json.text) \(question.key) \(result.key)")
                    let given = asked.compactMap { $0[result.key] }
                    #expect(result.abstained == given.filter { $0 == .abstention }.count)
                    #expect(result.answered + result.abstained == given.count)
                }
            }
        }
    }
}
