import Domain
import StrictJSON
import Testing

@Suite struct CrossTabs {
    private static let pace = Question(key: "pace", title: "Pace", kind: .rating(.init(min: 1, max: 3)))
    private static let topics = Question(
        key: "topics", title: "Topics",
        kind: .choice(
            .init(
                options: [.init(id: "demo", label: "The demo"), .init(id: "talk", label: "The talk")], multiple: true,
                other: true)))
    private static let why = Question(key: "why", title: "Why", kind: .text(maxLength: 10))

    private static let table = CrossTab(
        rows: pace, columns: topics,
        pairs: [
            .init(row: .rating(1), column: .choice(["demo"], other: nil), count: 3),
            .init(row: .rating(1), column: .choice(["demo", "talk"], other: "x"), count: 1),
            .init(row: .rating(2), column: nil, count: 5),
            .init(row: nil, column: .choice(["talk"], other: nil), count: 2),
            .init(row: nil, column: nil, count: 4),
        ])

    @Test func everyPairOfBucketsIsCounted() {
        let table = Self.table
        #expect(table.answered == 4 && table.rows.answered == 9 && table.columns.answered == 6)
        #expect(table.labels == ["1", "2", "3"])
        #expect(table.datasets.map(\.id) == ["demo", "talk", "other"])
        #expect(table.datasets.map(\.data) == [[4, 0, 0], [1, 0, 0], [1, 0, 0]])
        #expect(table.points.map(\.count) == [4, 1, 1, 0, 0, 0, 0, 0, 0])
    }

    @Test func shareIsRelativeToTheSubmissionsOfTheRowWithBothAnswers() {
        let (all, quarter, none) = (Self.table.points[0], Self.table.points[1], Self.table.points[3])
        #expect(all.share == 1 && all.high == 1)
        let wilson = Proportion(count: 1, of: 4)
        #expect(quarter.share == 0.25 && quarter.low == wilson?.low && quarter.high == wilson?.high)
        #expect(none.row == "2" && none.share == nil && none.low == nil && none.high == nil)
    }

    @Test func twoQuestionsWithOptionsAreRequired() {
        let questions = [Self.pace, Self.topics, Self.why]
        for (rows, columns, faults) in [
            (nil, nil, ["?rows required", "?columns required"]),
            ("pace", "pace", ["?columns same-question"]),
            ("why", "pace", ["?rows not-filterable"]),
            ("why", "why", ["?rows not-filterable", "?columns not-filterable"]),
            ("", "pace\0", ["?rows unknown-question", "?columns unknown-question"]),
        ] as [(String?, String?, [String])] {
            do throws(Problem) {
                _ = try CrossTab.questions(rows: rows, columns: columns, among: questions)
                Issue.record("\(rows ?? "-") \(columns ?? "-") was accepted")
            } catch {
                #expect(error.code == .validationFailed)
                #expect(error.faults.map { "\($0.pointer) \($0.code)" } == faults)
            }
        }
    }
}
