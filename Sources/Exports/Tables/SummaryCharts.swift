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

    /// The key of the question of these rows.
    func key(of rows: ArraySlice<[Cell]>) -> String { rows.first.map { Self.text("question", $0) } ?? "" }

    /// The chart of a grid, whose first statement has these rows. Nil for a withheld result.
    ///
    /// Shares below the middle of the scale are negative, and half of the middle is on each side. Spreadsheets stack from 0
    /// on, so the points next to the middle come first.
    func chart(of statements: [QuestionResult], _ rows: ArraySlice<[Cell]>) -> SheetGrid? {
        guard let row = rows.first, let first = statements.first, let grid = first.grid, !first.points.isEmpty,
            statements.allSatisfy({ $0.points.count == first.points.count })
        else { return nil }
        let count = first.points.count
        let (below, above) = (Array((0..<count / 2).reversed()), Array((count + 1) / 2..<count))
        let middle = count % 2 == 1 ? [count / 2] : []
        // The index of each part's point, and the factor of its share.
        let order =
            middle.map { ($0, -0.5) } + below.map { ($0, -1.0) } + middle.map { ($0, 0.5) } + above.map { ($0, 1.0) }
        return SheetGrid(
            title: title(row, Self.short(grid.title)),
            parts: order.map { index, factor in
                SheetGrid.Part(
                    label: first.points[index].label, color: Self.color(of: index, among: count),
                    isRepeated: factor == 0.5)
            },
            bars: statements.map { statement in
                SheetGrid.Bar(
                    label: Self.short(statement.title),
                    values: order.map { index, factor in
                        // Not -0.
                        statement.points[index].count == 0 ? 0 : factor * (statement.points[index].share ?? 0)
                    })
            })
    }

    /// One colour below the middle of the scale and another above it, the ends the strongest.
    private static func color(of index: Int, among count: Int) -> String {
        let strength = DivergingBars.strength(of: index, among: count)
        let (color, part) =
            switch DivergingBars.side(of: index, among: count) {
            case .below: ([0xA8, 0x50, 0x0F], 0.35 + 0.65 * strength)
            case .neutral: ([0x4A, 0x55, 0x60], 0.45)
            case .above: ([0x1F, 0x5F, 0xA8], 0.35 + 0.65 * strength)
            }
        return color.map { channel in
            let value = String(Int((255 + (Double(channel) - 255) * part).rounded()), radix: 16, uppercase: true)
            return value.count == 1 ? "0" + value : value
        }.joined()
    }

    private func title(_ row: [Cell]) -> String { title(row, Self.short(Self.text("title", row))) }

    private func title(_ row: [Cell], _ question: String) -> String {
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
