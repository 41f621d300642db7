import Domain
import Spreadsheets
import Store

/// The charts of a summary, one for each question with buckets, created from its rows.
struct SummaryCharts {
    /// The maximum length of the question's and of the meeting's title in a chart's title.
    private static let maxTitleCharacters = 120
    /// The index of each column, by name.
    private static let indices = Dictionary(
        uniqueKeysWithValues: SummaryTable.columns.enumerated().map { ($1.name, $0) })

    /// Whether titles name the meeting.
    private let namesMeetings: Bool

    init(_ scope: ExportScope) {
        if case .meeting = scope.extent { namesMeetings = false } else { namesMeetings = true }
    }

    /// The range of rows of each question of each meeting. Together the ranges cover all rows.
    func questions(in rows: [[Cell]]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        for index in rows.indices.dropFirst() {
            let isSame = ["meeting_id", "question"].allSatisfy {
                Self.cell($0, rows[index]) == Self.cell($0, rows[start])
            }
            if !isSame {
                ranges.append(start..<index)
                start = index
            }
        }
        return rows.isEmpty ? [] : ranges + [start..<rows.count]
    }

    /// The chart for one question's rows, where `row` is the number of the first row in the sheet. Nil for a text
    /// question and for a withheld result.
    func chart(of rows: ArraySlice<[Cell]>, sheet: String, row: Int) -> BarChart? {
        guard let first = rows.first, let labels = Self.indices["label"], let counts = Self.indices["count"] else {
            return nil
        }
        let isScale = Self.text("kind", first) == Question.KindName.rating.rawValue
        // Abstentions are counted apart, in the last row.
        let hasAbstentions = isScale && rows.last.map { Self.text("option_id", $0) } == Limits.abstention
        let rows = hasAbstentions ? rows.dropLast() : rows
        let bars = rows.compactMap { cells -> BarChart.Bar? in
            guard case .text(let label) = cells[labels], case .integer(let count) = cells[counts] else { return nil }
            return BarChart.Bar(label: label, count: count)
        }
        guard bars.count == rows.count else { return nil }
        return BarChart(
            title: title(first), direction: isScale ? .columns : .bars, sheet: sheet, labels: labels, counts: counts,
            row: row, bars: bars)
    }

    private func title(_ row: [Cell]) -> String {
        let question = Self.short(Self.text("title", row))
        guard namesMeetings, case .integer(let round)? = Self.cell("round", row) else { return question }
        return "\(Self.short(Self.text("meeting", row))) #\(round): \(question)"
    }

    private static func short(_ text: String) -> String {
        text.count > maxTitleCharacters ? text.prefix(maxTitleCharacters - 1) + "…" : text
    }

    private static func text(_ name: String, _ row: [Cell]) -> String {
        if case .text(let text)? = cell(name, row) { text } else { "" }
    }

    private static func cell(_ name: String, _ row: [Cell]) -> Cell? { indices[name].map { row[$0] } }
}
