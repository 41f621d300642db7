import Domain
import StrictJSON
import Testing

@Suite struct ChartSeries {
    let pace = Question(key: "pace", title: "Pace", kind: .rating(.init()))
    let topics = Question(
        key: "topics", title: "Topics",
        kind: .choice(
            .init(
                options: [.init(id: "demo", label: "The demo"), .init(id: "talk", label: "The discussion")],
                multiple: true, other: true)))

    @Test func ratingHasAllItsBucketsAndASummary() throws {
        let counts = ["#answered": 36, "#skipped": 1, "2": 2, "3": 11, "4": 17, "5": 6]
        let result = QuestionResult.make(question: pace, counts: counts)
        #expect(result.labels == ["1", "2", "3", "4", "5"])
        #expect(result.datasets == [.init(id: "answers", label: "Answers", data: [0, 2, 11, 17, 6])])
        #expect(result.points.map(\.value) == [1, 2, 3, 4, 5])
        #expect(result.summary?.mean == 3.75)
        #expect(result.summary?.median == 4)
        #expect(result.summary?.nps == nil)
        let json = result.json
        #expect(json["points"]?[0]?["high"]?.double.map { abs($0 - 0.096) < 0.001 } == true)
        #expect(json["confidence95"]?[1]?.double.map { abs($0 - 4.02) < 0.005 } == true)
        #expect(
            json.members?.map(\.name) == [
                "key", "kind", "title", "answered", "skipped", "labels", "datasets", "points", "mean", "median",
                "standardDeviation", "confidence95",
            ])
    }

    @Test func ratingIncludesTheLabelsOfItsEnds() {
        var labelled = pace
        labelled.kind = .rating(.init(minLabel: "too slow"))
        let json = QuestionResult.make(question: labelled, counts: [:]).json
        #expect(json["minLabel"]?.string == "too slow" && json["maxLabel"] == nil)
    }

    @Test func choiceHasItsOptionsInTheFormsOrderAndOtherLast() {
        let counts = ["#answered": 37, "other": 3, "talk": 15, "demo": 20, "retired": 9]
        let result = QuestionResult.make(question: topics, counts: counts)
        #expect(result.labels == ["The demo", "The discussion", "Other"])
        #expect(result.datasets.first?.data == [20, 15, 3])
        #expect(result.points.map(\.id) == ["demo", "talk", "other"])
        #expect(result.points[0].share == 20.0 / 37)
        #expect(result.summary == nil)
        #expect(result.json["points"]?[0]?["value"] == nil)
    }

    @Test func textHasItsCountsAndReleaseState() {
        let text = Question(key: "t", title: "T", kind: .text(maxLength: 9))
        let result = QuestionResult.make(question: text, counts: ["#answered": 12, "#skipped": 25])
        #expect(
            result.json.text
                == #"{"key":"t","kind":"text","title":"T","answered":12,"skipped":25,"released":false}"#
        )
    }

    @Test func shareOfNobodyIsNil() {
        let json = QuestionResult.make(question: pace, counts: [:]).json
        #expect(json["datasets"]?[0]?["data"] == .array(Array(repeating: .number("0"), count: 5)))
        #expect(
            json["points"]?[0]?.text
                == #"{"id":"1","label":"1","value":1,"count":0,"share":null,"low":null,"high":null}"#)
        for name in ["mean", "median", "standardDeviation", "confidence95"] { #expect(json[name] == .null) }
    }

    @Test func singleAnswerHasNoSpread() {
        let json = QuestionResult.make(question: pace, counts: ["#answered": 1, "4": 1]).json
        #expect(json["mean"]?.int == 4)
        #expect(json["median"]?.int == 4)
        #expect(json["standardDeviation"] == .null)
        #expect(json["confidence95"] == .null)
    }

    @Test func promoterQuestionHasAScore() {
        let question = Question(key: "n", title: "N", kind: .rating(.init(min: 0, max: 10, metric: .nps)))
        let json = QuestionResult.make(question: question, counts: ["#answered": 10, "10": 6, "8": 1, "0": 3]).json
        #expect(json["nps"]?["score"]?.int == 30)
        #expect(json["nps"]?["promoters"]?.int == 6)
        #expect(json["nps"]?["passives"]?.int == 1)
        #expect(json["nps"]?["detractors"]?.int == 3)
        #expect(QuestionResult.make(question: question, counts: [:]).json["nps"] == .null)
    }

    @Test func withheldResultsHaveEmptyDatasets() {
        let result = QuestionResult.withheld(question: pace)
        #expect(result.labels == ["1", "2", "3", "4", "5"])
        #expect(result.datasets == [.init(id: "answers", label: "Answers", data: [])])
        #expect(result.points.isEmpty)
        #expect(result.answered == 0)
        #expect(result.json["mean"] == .null)
    }
}
