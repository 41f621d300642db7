import Contract
import Domain
import Foundation

/// The bars of a grid's statements, which diverge from the middle of the scale, for the template `grid-bars`.
struct GridBars: TemplateValues, Hashable {
    /// A point of the scale.
    struct Point: TemplateValues, Hashable {
        var pointLabel: String
        /// `below`, `neutral` or `above` the middle.
        var side: String
        /// How clearly the colour shows, from 0 to 1.
        var opacity: String
    }

    struct Bar: TemplateValues, Hashable {
        /// A part of the bar, out of 1000.
        struct Part: TemplateValues, Hashable {
            var side: String
            var opacity: String
            var start: Int
            var width: Int
        }

        var statement: String
        /// The counts in words, for people who do not see the bar.
        var sentence: String
        var parts: [Part]
    }

    /// The place of the middle of the scale, out of 1000.
    var zero: Int
    var points: [Point]
    var bars: [Bar]
}

/// The counts of a grid's statements, for the template `grid-table`.
struct GridTable: TemplateValues, Hashable {
    struct Row: TemplateValues, Hashable {
        struct Cell: TemplateValues, Hashable {
            var count: Int
            var percent: String
            var share: String
        }

        var statement: String
        var cells: [Cell]
        /// The mean, or the net promoter score.
        var mean: String
        var answered: Int
        /// The number of people who abstained, as text. Nil if the grid offers no abstention.
        var abstained: String?
    }

    var columns: [String]
    /// The label of the abstention. Nil if the grid offers none.
    var abstentionHeader: String?
    /// What the column with the means contains.
    var meanHeader: String
    var rows: [Row]
}

/// The statements of a grid together, for the template `grid-numbers`.
struct GridNumbers: TemplateValues, Hashable {
    var gridKey: String
    var gridTitle: String
    var gridDescription: String?
    /// Why no numbers are shown. Nil if they are.
    var gridNotice: String?
    /// Cronbach's alpha with its interval. Nil if it is unknown.
    var alpha: String?
    /// Nil if no numbers are shown.
    var picture: GridBars?
    var gridTable: GridTable?
    /// Nil without an earlier round.
    var profile: GridProfile?
}

extension GridNumbers {
    /// Nil for questions that are no statements of a grid.
    init?(_ parts: [ResultsQuestions.Part], alpha: GridAlpha?, _ texts: PageTexts) {
        guard let first = parts.first, let grid = first.result.grid else { return nil }
        (gridKey, gridTitle, gridDescription) = (grid.key, grid.title, grid.description?.nonEmpty)
        self.alpha = alpha.flatMap { Self.sentence(of: $0, texts) }
        gridNotice = parts.lazy.compactMap(\.numbers.withheldNotice).first
        guard gridNotice == nil else { return }
        guard parts.contains(where: { $0.result.answered > 0 }) else {
            gridNotice = texts("stage.no-answers")
            return
        }
        let counts = parts.map { $0.result.points ?? [] }
        guard counts.allSatisfy({ $0.count == counts[0].count }) else { return nil }
        let table = Self.table(parts, texts)
        picture = Self.picture(parts, table, texts)
        gridTable = table
    }

    private static func table(_ parts: [ResultsQuestions.Part], _ texts: PageTexts) -> GridTable {
        let first = parts[0].result
        return GridTable(
            columns: (first.points ?? []).map { label(of: $0, in: first) },
            abstentionHeader: first.abstain, meanHeader: texts(first.summary?.nps != nil ? "stage.nps" : "grids.mean"),
            rows: parts.map { part in
                .init(
                    statement: part.result.title,
                    cells: (part.result.points ?? []).map { point in
                        .init(
                            count: point.count, percent: String(format: "%.2f", 100 * (point.share ?? 0)),
                            share: point.share.map(NumberText.percent) ?? "")
                    },
                    mean: mean(of: part.result, texts), answered: part.result.answered,
                    abstained: first.abstain.map { _ in "\(part.result.abstained ?? 0)" })
            })
    }

    private static func picture(
        _ parts: [ResultsQuestions.Part], _ table: GridTable, _ texts: PageTexts
    ) -> GridBars {
        let count = table.columns.count
        let points = table.columns.enumerated().map { index, label in
            GridBars.Point(
                pointLabel: label, side: DivergingBars.side(of: index, among: count).rawValue,
                opacity: opacity(index, count))
        }
        let bars = DivergingBars(parts.map { ($0.result.points ?? []).map { $0.share ?? 0 } }, .split)
        let length = max(bars.extent.upperBound - bars.extent.lowerBound, 0.001)
        func place(_ value: Double) -> Int { Int((1000 * (value - bars.extent.lowerBound) / length).rounded()) }
        return GridBars(
            zero: place(0), points: points,
            bars: zip(table.rows, bars.bars).map { row, bar in
                let words = zip(table.columns, row.cells).filter { $1.count > 0 }.map { label, cell in
                    "\(label): \(cell.count) (\(cell.share))"
                }
                return .init(
                    statement: row.statement,
                    sentence: words.isEmpty ? texts("stage.no-answers") : words.joined(separator: ", "),
                    parts: bar.enumerated().filter { $1.upperBound > $1.lowerBound }.map { index, range in
                        .init(
                            side: points[index].side, opacity: points[index].opacity, start: place(range.lowerBound),
                            width: place(range.upperBound) - place(range.lowerBound))
                    })
            })
    }

    /// `5 very good`, or the label of the point alone.
    private static func label(of point: QuestionResults.Point, in result: QuestionResults) -> String {
        if point.id == result.points?.first?.id, let label = result.minLabel { return "\(point.label) \(label)" }
        if point.id == result.points?.last?.id, let label = result.maxLabel { return "\(point.label) \(label)" }
        return point.label
    }

    /// The ends of the scale are the strongest.
    private static func opacity(_ index: Int, _ count: Int) -> String {
        let strength = DivergingBars.strength(of: index, among: count)
        return String(format: "%.2f", strength == 0 ? 0.45 : 0.35 + 0.65 * strength)
    }

    private static func mean(of result: QuestionResults, _ texts: PageTexts) -> String {
        if let nps = result.summary?.nps { return NumberText.score(nps.score) }
        return result.summary?.mean.map { NumberText.decimal($0, in: texts.language) } ?? "–"
    }

    /// Nil if alpha is not defined.
    static func sentence(of alpha: GridAlpha, _ texts: PageTexts) -> String? {
        guard let value = alpha.alpha, let bounds = alpha.confidence95, bounds.count == 2 else { return nil }
        func number(_ value: Double) -> String { NumberText.decimal(value, in: texts.language) }
        return texts(
            "grids.alpha",
            [
                "alpha": number(value), "low": number(bounds[0]), "high": number(bounds[1]), "count": "\(alpha.n)",
            ])
    }
}

extension ResultsQuestions {
    /// The questions as lists of those that a page shows together: the statements of a grid, or a single question.
    static func groups(_ parts: [Part]) -> [[Part]] {
        parts.reduce(into: []) { groups, part in
            if let key = part.result.grid?.key, part.result.retired != true, let last = groups.last?.last,
                last.result.retired != true, last.result.grid?.key == key
            {
                groups[groups.count - 1].append(part)
            } else {
                groups.append([part])
            }
        }
    }
}
