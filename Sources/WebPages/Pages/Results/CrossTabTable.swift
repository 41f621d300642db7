import Contract
import Foundation

/// The counts of a cross-tab as a page shows them: recommendations in their three groups, and other answers in one row.
struct CrossTabTable {
    struct Cell: Equatable {
        var count: Int
        /// The share among the people in the row who answered the columns' question.
        var share: Double?
    }

    struct Line: Equatable {
        var label: String
        var cells: [Cell]
    }

    let heads: [String]
    let lines: [Line]
    /// Whether nobody is in two columns, so that the shares of a row add up to 1.
    let isWhole: Bool

    /// - Parameter recommendations: The keys of the questions that are shown in groups.
    init(_ crossTab: CrossTab, recommendations: Set<String>, _ texts: PageTexts) {
        func groups(_ axis: CrossTab.Axis, _ ids: [(id: String, label: String)]) -> [Group] {
            if recommendations.contains(axis.key) { return Self.recommendation(ids.map(\.id), texts) }
            return ids.map { id, label in
                Group(label: axis.kind == "choice" && id == FormSheet.other ? texts("form.other") : label, ids: [id])
            }
        }
        let width = max(crossTab.datasets.count, 1)
        let points = crossTab.points
        let all = stride(from: 0, to: points.count, by: width).map { Array(points[$0..<min($0 + width, points.count)]) }
        let columns = groups(crossTab.columns, (all.first ?? []).map { ($0.column, $0.columnLabel) })
        let rows = groups(crossTab.rows, all.compactMap { $0.first.map { ($0.row, $0.rowLabel) } })
        heads = columns.map(\.label)
        lines = rows.map { row in
            let members = all.filter { $0.first.map { row.ids.contains($0.row) } ?? false }
            let base = members.reduce(0) { $0 + Self.base(of: $1) }
            return Line(
                label: row.label,
                cells: columns.map { column in
                    let count = members.joined().filter { column.ids.contains($0.column) }.reduce(0) { $0 + $1.count }
                    return Cell(count: count, share: base > 0 ? Double(count) / Double(base) : nil)
                })
        }
        // Sums of binary fractions may exceed 1 a little.
        isWhole = lines.allSatisfy { $0.cells.reduce(0) { $0 + ($1.share ?? 0) } < 1.000_001 }
    }

    /// The answers that are shown as one row or one column.
    private struct Group {
        var label: String
        var ids: Set<String>
    }

    /// The people in a row who answered the columns' question. Counts cannot be added if one person is in several columns.
    private static func base(of row: [CrossTab.Point]) -> Int {
        guard let point = row.first(where: { $0.count > 0 }), let share = point.share, share > 0 else { return 0 }
        return Int((Double(point.count) / share).rounded())
    }

    private static func recommendation(_ ids: [String], _ texts: PageTexts) -> [Group] {
        [("promoters", 9...10), ("passives", 7...8), ("detractors", 0...6)].map { name, values in
            Group(
                label: texts.find("charts.\(name)") ?? name,
                ids: Set(ids.filter { Int($0).map(values.contains) ?? false }))
        }
    }
}
