import Contract
import Domain
import StrictJSON
import Testing

@testable import HTTPAPI

/// The members of results and forms in JSON: their order, and which of them are null.
@Suite struct ResultBodies {
    private static let pace = Question(key: "pace", title: "Pace", kind: .rating(.init()))

    private static func body(_ question: Question, _ counts: [String: Int] = [:]) throws -> JSONValue {
        try JSONValue(encoding: QuestionResults(QuestionResult.make(question: question, counts: counts)))
    }

    @Test func aRatingEndsWithItsSummaryAndTheLabelsOfItsScale() throws {
        var question = Self.pace
        question.kind = .rating(.init(minLabel: "too slow"))
        let body = try Self.body(question, ["#answered": 2, "4": 2])
        #expect(
            body.members?.map(\.name) == [
                "key", "kind", "title", "answered", "skipped", "asked", "labels", "datasets", "points", "mean",
                "median",
                "standardDeviation", "confidence95", "groupedMedian", "minLabel",
            ])
    }

    @Test func aRatingWithoutAnswersHasNulls() throws {
        let body = try Self.body(Self.pace)
        #expect(
            body["points"]?[0]?.text
                == #"{"id":"1","label":"1","value":1,"count":0,"share":null,"low":null,"high":null}"#)
        for name in ["mean", "median", "standardDeviation", "confidence95", "groupedMedian"] {
            #expect(body[name] == .null)
        }
        #expect(body["nps"] == nil)
    }

    @Test func aNetPromoterScoreWithoutAnswersIsNull() throws {
        let question = Question(key: "n", title: "N", kind: .rating(.init(min: 0, max: 10, metric: .nps)))
        #expect(try Self.body(question)["nps"] == .null)
        #expect(try Self.body(question, ["#answered": 1, "10": 1])["nps"]?["score"]?.int == 100)
    }

    @Test func aTextQuestionHasItsCountsAndReleaseState() throws {
        let text = Question(key: "t", title: "T", kind: .text(maxLength: 9))
        #expect(
            try Self.body(text, ["#answered": 12, "#skipped": 25]).text
                == #"{"key":"t","kind":"text","title":"T","answered":12,"skipped":25,"asked":37,"released":false}"#)
    }

    @Test func anOptionHasNoValue() throws {
        let question = Question(
            key: "c", title: "C", kind: .choice(.init(options: [.init(id: "a", label: "A")])))
        #expect(
            try Self.body(question, ["#answered": 1, "a": 1])["points"]?[0]?.members?.map(\.name) == [
                "id", "label", "count", "share", "low", "high",
            ])
    }

    /// A client can send back what it has read.
    @Test func aDefinitionIsWrittenAsItIsStored() throws {
        let options = [Question.Option(id: "a", label: "A")]
        let definition = FormDefinition(
            title: "T", intro: nil, identity: .device, anonymous: true, opens: .offset(from: .start, minutes: -5),
            questions: [
                Self.pace, Question(key: "t", title: "T", description: "D", required: true, kind: .text(maxLength: 9)),
                Question(key: "one", title: "One", kind: .choice(.init(options: options, other: true))),
                Question(key: "many", title: "Many", kind: .choice(.init(options: options, multiple: true))),
            ])
        #expect(try JSONValue(encoding: FormBody(definition)) == definition.json)
    }
}
