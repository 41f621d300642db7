import Contract
import Foundation

/// The means of a grid's statements in each round, with a shade for each.
struct GridHeat: TemplateValues {
    struct Round: TemplateValues {
        var meetingID: String
        var number: Int
    }

    struct Row: TemplateValues {
        struct Cell: TemplateValues {
            var mean: String
            /// `heat-0` to `heat-10`, for the ends of the scale. Empty without answers.
            var shade: String
        }

        var statement: String
        var cells: [Cell]
    }

    var gridKey: String
    var gridTitle: String
    var heatRounds: [Round]
    var heatRows: [Row]

    /// Nil for fewer than two statements or rounds with numbers.
    init?(of statements: [(pooled: QuestionResults, trend: Trend)], _ texts: PageTexts) {
        guard statements.count > 1, let first = statements.first, let grid = first.pooled.grid else { return nil }
        let scale = (first.pooled.points ?? []).compactMap(\.value)
        guard let low = scale.min(), let high = scale.max(), low < high else { return nil }
        (gridKey, gridTitle) = (grid.key, grid.title)
        // Each trend has all rounds of the series.
        heatRounds = zip(first.trend.meetingIds, first.trend.rounds).map { .init(meetingID: "\($0)", number: $1) }
        heatRows = statements.map { statement in
            let means = statement.trend.datasets.first { $0.id == "mean" }?.data ?? []
            let byRound = Dictionary(zip(statement.trend.rounds, means), uniquingKeysWith: { first, _ in first })
            return Row(
                statement: statement.pooled.title,
                cells: first.trend.rounds.map { round in
                    guard let mean = byRound[round].flatMap(\.self) else { return .init(mean: "–", shade: "") }
                    let share = (mean - Double(low)) / Double(high - low)
                    return .init(
                        mean: NumberText.decimal(mean, in: texts.language),
                        shade: "heat-\(Int((10 * min(max(share, 0), 1)).rounded()))")
                })
        }
        let columns = heatRounds.indices.count { index in heatRows.contains { !$0.cells[index].shade.isEmpty } }
        guard columns > 1 else { return nil }
    }
}
