import Contract
import Foundation
import TestSupport
import Testing

@testable import WebPages

/// The texts and tables of results.
@Suite struct ResultsInWords {
    private static let folder = Repository.url("Sources/WebPages/Resources")
    private let texts: PageTexts

    init() throws { texts = try PageTexts(.english, from: Self.folder) }

    private func choice(_ counts: [(String, Int)]) -> QuestionResults {
        let total = counts.reduce(0) { $0 + $1.1 }
        return QuestionResults(
            key: "topics", kind: "choice", title: "Topics", answered: total, skipped: 0,
            points: counts.map { label, count in
                .init(
                    id: label.lowercased(), label: label, count: count, share: Double(count) / Double(total), low: 0,
                    high: 1)
            })
    }

    @Test func tiedOptionsAreNamedTogether() {
        func line(_ counts: [(String, Int)]) -> String? { ResultsBrief.mostFrequent(of: choice(counts), texts) }
        #expect(line([("Demo", 3), ("Talk", 1)]) == "Demo (75 %)")
        #expect(line([("Demo", 2), ("Break", 0), ("Talk", 2)]) == "Demo and Talk (50 % each)")
        #expect(line([("A", 1), ("B", 1), ("C", 1)]) == "3 tied for first (33 % each)")
    }

    /// A cross-tab with these counts.
    ///
    /// - Parameter bases: The number of people in each row, if one person can be in several columns.
    private func crossTab(
        rows: [String], columns: [String], kinds: (String, String), _ counts: [[Int]], bases: [Int]? = nil
    ) -> CrossTab {
        let points = rows.indices.flatMap { row in
            columns.indices.map { column -> CrossTab.Point in
                let base = bases?[row] ?? counts[row].reduce(0, +)
                return .init(
                    row: rows[row], rowLabel: rows[row], column: columns[column], columnLabel: columns[column],
                    count: counts[row][column], share: base > 0 ? Double(counts[row][column]) / Double(base) : nil,
                    low: nil, high: nil)
            }
        }
        let id = ResourceID(UUID())
        return CrossTab(
            meetingId: id, formId: id, version: 1, revision: 1, updatedAt: .now, submissions: 9, answered: 9,
            rows: .init(key: "r", kind: kinds.0, title: "R", answered: 9),
            columns: .init(key: "c", kind: kinds.1, title: "C", answered: 9), labels: rows,
            datasets: columns.map { .init(id: $0, label: $0, data: []) }, points: points, partial: nil)
    }

    @Test func crossTabGroupsRecommendations() {
        let scale = (0...10).map(String.init)
        var counts = [Array(repeating: 0, count: 11), Array(repeating: 0, count: 11)]
        for (row, value) in [(0, 10), (0, 9), (0, 8), (0, 0), (1, 6)] { counts[row][value] += 1 }
        let columns = CrossTabTable(
            crossTab(rows: ["guest", "other"], columns: scale, kinds: ("choice", "rating"), counts),
            recommendations: ["c"], texts)
        #expect(columns.headers == ["Promoters (9–10)", "Passives (7–8)", "Detractors (0–6)"] && columns.sharesAddUp)
        #expect(columns.lines.map(\.label) == ["guest", "Other"])
        #expect(columns.lines[0].cells.map(\.count) == [2, 1, 1])
        #expect(columns.lines[0].cells.map(\.share) == [0.5, 0.25, 0.25])
        #expect(columns.lines[1].cells.map(\.share) == [0, 0, 1])
        // The recommendation is in the rows, and one person can be in several columns.
        let several = (0...10).map { [$0 == 9 ? 1 : 0, $0 >= 9 ? 1 : 0] }
        let bases = (0...10).map { $0 >= 9 ? 1 : 0 }
        let rows = CrossTabTable(
            crossTab(rows: scale, columns: ["demo", "talk"], kinds: ("rating", "choice"), several, bases: bases),
            recommendations: ["r"], texts)
        #expect(rows.lines.map { $0.cells.map(\.count) } == [[1, 2], [0, 0], [0, 0]])
        #expect(rows.lines[0].cells.map(\.share) == [0.5, 1] && rows.lines[1].cells.map(\.share) == [nil, nil])
        #expect(!rows.sharesAddUp, "one person is in both columns")
    }

    @Test func scaleBarIsMarkedAtTheMean() throws {
        var result = QuestionResults(
            key: "pace", kind: "rating", title: "Pace", answered: 2, skipped: 0,
            points: (1...5).map { (value: Int) in
                .init(id: "\(value)", label: "\(value)", value: value, count: 0, share: 0, low: 0, high: 0)
            })
        (result.minLabel, result.maxLabel) = ("too slow", nil)
        let bar = try #require(ScaleBar(of: result, mean: 3))
        #expect(bar.mark == "50.0%")
        #expect(bar.lowLabel == "1 too slow" && bar.highLabel == "5")
        #expect(ScaleBar(of: result, mean: 5)?.mark == "98.0%")
        result.points = []
        #expect(ScaleBar(of: result, mean: 3) == nil)
    }
}
