import Contract

/// The rows and columns of a cross-tab on a page. The eleven values of a recommendation (0 to 10) are combined into its
/// three groups.
struct CrossTabTable {
    struct Line {
        var label: String
        /// The counts, and their shares of the people in the row who answered the question of the columns. A share is
        /// nil if nobody answered it.
        var cells: [(count: Int, share: Double?)]
    }

    /// The labels of the columns.
    let headers: [String]
    let lines: [Line]
    /// Whether the shares of each row add up to at most 1, because nobody is in two columns.
    let sharesAddUp: Bool

    /// - Parameters:
    ///   - recommendations: The keys of the questions whose values are combined into groups.
    ///   - ends: What the ends of scales mean, by question.
    init(
        _ crossTab: CrossTab, recommendations: Set<String>, ends: [String: (low: String?, high: String?)] = [:],
        _ texts: PageTexts
    ) {
        func groups(_ axis: CrossTab.Axis, _ answers: [(id: String, label: String)]) -> [Group] {
            if recommendations.contains(axis.key) { return Self.recommendation(answers.map(\.id), texts) }
            var groups = answers.map { id, label in
                Group(label: axis.kind == "choice" && id == FormSheet.other ? texts("form.other") : label, ids: [id])
            }
            guard let ends = ends[axis.key], groups.count > 1 else { return groups }
            if let low = ends.low { groups[0].label += " (\(low))" }
            if let high = ends.high { groups[groups.count - 1].label += " (\(high))" }
            return groups
        }
        let width = max(crossTab.datasets.count, 1)
        let points = crossTab.points
        let pointRows = stride(from: 0, to: points.count, by: width).map {
            Array(points[$0..<min($0 + width, points.count)])
        }
        let columns = groups(crossTab.columns, (pointRows.first ?? []).map { ($0.column, $0.columnLabel) })
        let rows = groups(crossTab.rows, pointRows.compactMap { $0.first.map { ($0.row, $0.rowLabel) } })
        headers = columns.map(\.label)
        lines = rows.map { row in
            let groupRows = pointRows.filter { $0.first.map { row.ids.contains($0.row) } ?? false }
            let rowBase = groupRows.reduce(0) { $0 + Self.base(of: $1) }
            return Line(
                label: row.label,
                cells: columns.map { column in
                    let count = groupRows.joined().filter { column.ids.contains($0.column) }.reduce(0) { $0 + $1.count }
                    return (count: count, share: rowBase > 0 ? Double(count) / Double(rowBase) : nil)
                })
        }
        // Because of rounding errors, a sum may exceed 1 slightly.
        sharesAddUp = lines.allSatisfy { $0.cells.reduce(0) { $0 + ($1.share ?? 0) } < 1.000_001 }
    }

    /// The answers that are shown as one row or one column.
    private struct Group {
        var label: String
        var ids: Set<String>
    }

    /// The number of people in a row who answered the question of the columns. It is computed from a count and its
    /// share, because counts cannot be added if one person is in several columns.
    private static func base(of row: [CrossTab.Point]) -> Int {
        guard let point = row.first(where: { $0.count > 0 }), let share = point.share, share > 0 else { return 0 }
        return Int((Double(point.count) / share).rounded())
    }

    /// Promoters, passives and detractors.
    private static func recommendation(_ ids: [String], _ texts: PageTexts) -> [Group] {
        [("promoters", 9...10), ("passives", 7...8), ("detractors", 0...6)].map { name, values in
            Group(
                label: texts.find("charts.\(name)") ?? name,
                ids: Set(ids.filter { Int($0).map(values.contains) ?? false }))
        }
    }
}
