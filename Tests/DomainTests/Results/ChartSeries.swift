import Testing

@testable import Domain

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
        #expect(result.points[0].high.map { abs($0 - 0.096) < 0.001 } == true)
        #expect((result.summary?.confidence95?.high).map { abs($0 - 4.02) < 0.005 } == true)
    }

    @Test func ratingIncludesTheLabelsOfItsEnds() {
        var labelled = pace
        labelled.kind = .rating(.init(minLabel: "too slow"))
        let result = QuestionResult.make(question: labelled, counts: [:])
        #expect(result.minLabel == "too slow" && result.maxLabel == nil)
    }

    @Test func choiceHasItsOptionsInTheFormsOrderAndOtherLast() {
        let counts = ["#answered": 37, "other": 3, "talk": 15, "demo": 20, "retired": 9]
        let result = QuestionResult.make(question: topics, counts: counts)
        #expect(result.labels == ["The demo", "The discussion", "Other"])
        #expect(result.datasets.first?.data == [20, 15, 3])
        #expect(result.points.map(\.id) == ["demo", "talk", "other"])
        #expect(result.points[0].share == 20.0 / 37)
        #expect(result.summary == nil)
        #expect(result.points[0].value == nil)
    }

    @Test func textHasItsCountsAndReleaseState() {
        let text = Question(key: "t", title: "T", kind: .text(maxLength: 9))
        let result = QuestionResult.make(question: text, counts: ["#answered": 12, "#skipped": 25])
        #expect(result.answered == 12 && result.skipped == 25 && !result.isReleased)
        #expect(result.labels.isEmpty && result.datasets.isEmpty && result.points.isEmpty && result.summary == nil)
    }

    @Test func shareOfNobodyIsNil() {
        let result = QuestionResult.make(question: pace, counts: [:])
        #expect(result.datasets[0].data == [0, 0, 0, 0, 0])
        #expect(result.points.allSatisfy { $0.share == nil && $0.low == nil && $0.high == nil })
        let summary = result.summary
        #expect(summary != nil && summary?.mean == nil && summary?.median == nil)
        #expect(summary?.standardDeviation == nil && summary?.confidence95 == nil)
    }

    @Test func singleAnswerHasNoSpread() {
        let summary = QuestionResult.make(question: pace, counts: ["#answered": 1, "4": 1]).summary
        #expect(summary?.mean == 4)
        #expect(summary?.median == 4)
        #expect(summary?.standardDeviation == nil)
        #expect(summary?.confidence95 == nil)
    }

    @Test func promoterQuestionHasAScore() {
        let question = Question(key: "n", title: "N", kind: .rating(.init(min: 0, max: 10, metric: .nps)))
        let counts = ["#answered": 10, "10": 6, "8": 1, "0": 3]
        let score = QuestionResult.make(question: question, counts: counts).summary?.nps
        #expect(score?.score == 30)
        #expect(score?.promoters == 6)
        #expect(score?.passives == 1)
        #expect(score?.detractors == 3)
        #expect(QuestionResult.make(question: question, counts: [:]).summary?.nps == nil)
    }

    @Test func withheldResultsHaveEmptyDatasets() {
        let result = QuestionResult.withheld(question: pace)
        #expect(result.labels == ["1", "2", "3", "4", "5"])
        #expect(result.datasets == [.init(id: "answers", label: "Answers", data: [])])
        #expect(result.points.isEmpty)
        #expect(result.answered == 0)
        #expect(result.summary?.mean == nil)
    }
}
