import Contract
import Domain
import Foundation

/// One question of a results page: its numbers in a table, with what a chart of them is to look like.
struct QuestionPart {
    /// More parts of a ring can hardly be told apart.
    private static let mostInRing = 5
    private static let width = 1000.0
    /// Answers from which on an interval of a mean is said.
    private static let fewest = 5

    let result: QuestionResults
    /// What the form's newest version says of it, where that is known.
    var definition: QuestionBody?
    var withheld: Results.Withheld?
    let page: PageRequest

    private var texts: PageTexts { page.texts }

    /// A minimum group keeps all of it back.
    private var isWithheld: Bool {
        guard withheld != nil else { return false }
        return result.points?.isEmpty ?? (result.answered == 0 && result.skipped == 0)
    }

    func values(with comparison: RoundComparison? = nil) -> [String: Any] {
        var values: [String: Any] = [
            "key": result.key, "title": result.title, "isText": result.kind == "text",
            "isRetired": result.retired == true, "isReleased": result.released == true,
        ]
        if isWithheld {
            values["held"] = texts("results.withheld", ["minimum": "\(withheld?.minimum ?? 0)"])
            return values
        }
        values["answered"] = counted("results.answers", one: "results.one-answer", result.answered)
        if result.skipped > 0 {
            values["skipped"] = texts("charts.skipped", ["count": "\(result.skipped)"])
        }
        // Rows of nothing say less than that nobody has answered.
        let points = result.answered > 0 ? (result.points ?? []).filter(isSeen) : []
        if let nps = result.summary?.nps {
            values["summary"] = score(nps)
            values["table"] = table(groups(nps), kind: "stack")
            values["scale"] = table(points.map { row($0, nil) }, kind: nil)
        } else {
            if let summary = result.summary, let mean = summary.mean {
                values["summary"] = texts("results.mean", ["mean": NumberText.decimal(mean)])
                values["spread"] = spread(summary)
                if isGrade {
                    values["stars"] = Stars.values(mean: mean, outOf: points.compactMap(\.value).max() ?? 0)
                } else {
                    values["scaleBar"] = ScaleBar.values(of: result, mean: mean)
                }
            }
            if !points.isEmpty {
                values["table"] = table(points.map { row($0, comparison) }, kind: kind, comparison)
            }
        }
        values["change"] = comparison?.sentence
        return values
    }

    /// An option that is left out and that nobody chose says nothing.
    private func isSeen(_ point: QuestionResults.Point) -> Bool {
        guard let definition, let options = definition.options, point.count == 0 else { return true }
        return options.contains { $0.id == point.id } || point.id == FormSheet.other && definition.other == true
    }

    // MARK: The table

    private struct Row {
        var label: String
        /// What it means, where it is an end of a scale.
        var end: String?
        var count: Int
        var share: Double?
        var range: String?
        var change: [String: Any]?
    }

    private func row(_ point: QuestionResults.Point, _ comparison: RoundComparison?) -> Row {
        let range = point.low.flatMap { low in
            point.high.map { NumberText.percents(low, $0) }
        }
        return Row(
            label: label(point), end: end(point), count: point.count, share: point.share, range: range,
            change: comparison?.cell(of: point.id))
    }

    /// What people wrote themselves is counted as one option, which has no words of the host's.
    private func label(_ point: QuestionResults.Point) -> String {
        result.kind == "choice" && point.id == "other" ? texts("form.other") : point.label
    }

    private func end(_ point: QuestionResults.Point) -> String? {
        guard result.kind == "rating" else { return nil }
        if point.id == result.points?.first?.id { return result.minLabel }
        return point.id == result.points?.last?.id ? result.maxLabel : nil
    }

    /// Stars are for ratings where more is better. Ends with a meaning may put the best in the middle, and of a question
    /// that is not asked any more nobody knows.
    private var isGrade: Bool {
        result.minLabel == nil && result.maxLabel == nil && result.retired != true
    }

    private func groups(_ nps: QuestionResults.NetPromoterScore) -> [Row] {
        [("promoters", nps.promoters), ("passives", nps.passives), ("detractors", nps.detractors)].map { name, count in
            Row(
                label: texts.find("charts.\(name)") ?? name, count: count,
                share: result.answered > 0 ? Double(count) / Double(result.answered) : nil)
        }
    }

    private func table(_ rows: [Row], kind: String?, _ comparison: RoundComparison? = nil) -> [String: Any] {
        var values: [String: Any] = [
            "hasChanges": rows.contains { $0.change != nil },
            "hasClearChanges": rows.contains { $0.change?["isClear"] as? Bool == true },
            "hasRanges": rows.contains { $0.range != nil },
            // A column as narrow as its numbers.
            "isScale": result.kind == "rating" && kind != "stack", "hasEnds": rows.contains { $0.end != nil },
            "rows": rows.map { row -> [String: Any] in
                var values: [String: Any] = [
                    "label": row.label, "count": row.count, "share": row.share.map(NumberText.percent) ?? "",
                    // As long for the same share in every table.
                    "width": Int((Self.width * (row.share ?? 0)).rounded()),
                ]
                values["end"] = row.end
                values["range"] = row.range
                values["change"] = row.change
                return values
            },
        ]
        values["kind"] = kind
        values["since"] = comparison?.since
        return values
    }

    /// Parts make a ring only where they are a whole.
    private var kind: String {
        guard result.kind == "choice" else { return "columns" }
        let points = result.points ?? []
        let isWhole = definition?.multiple.map { !$0 } ?? (points.reduce(0) { $0 + $1.count } == result.answered)
        return isWhole && points.count <= Self.mostInRing ? "doughnut" : "bars"
    }

    // MARK: What sums it up

    private func score(_ nps: QuestionResults.NetPromoterScore) -> String {
        let text = texts("results.nps", ["score": NumberText.score(nps.score)])
        guard let low = nps.low, let high = nps.high else { return text }
        return text + " "
            + texts("charts.interval", ["low": NumberText.score(low), "high": NumberText.score(high)])
    }

    /// No wider than the scale; none from answers so few that it would only puzzle.
    private func interval(_ summary: QuestionResults.Summary) -> (Double, Double)? {
        guard result.answered >= Self.fewest, let bounds = summary.confidence95, bounds.count == 2 else { return nil }
        let scale = (result.points ?? []).compactMap(\.value)
        guard let lowest = scale.min(), let highest = scale.max() else { return (bounds[0], bounds[1]) }
        let interval = Interval(low: bounds[0], high: bounds[1]).clipped(to: lowest...highest)
        return (interval.low, interval.high)
    }

    private func spread(_ summary: QuestionResults.Summary) -> String? {
        var parts: [String] = []
        if let (low, high) = interval(summary) {
            parts.append(texts("charts.interval", ["low": NumberText.decimal(low), "high": NumberText.decimal(high)]))
        }
        if let median = summary.median {
            parts.append(texts("charts.median", ["median": NumberText.short(median)]))
        }
        if let deviation = summary.standardDeviation {
            parts.append(texts("charts.deviation", ["deviation": NumberText.decimal(deviation)]))
        }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }

    private func counted(_ many: String, one: String, _ count: Int) -> String {
        texts(count == 1 ? one : many, ["count": "\(count)"])
    }
}

/// The mean of a rating as stars, as many as its scale has steps.
enum Stars {
    private static let side = 24.0
    private static let most = 10

    static func values(mean: Double, outOf max: Int) -> [String: Any]? {
        guard (1...most).contains(max) else { return nil }
        let filled = side * Swift.max(0, mean)
        return [
            "width": Int(side) * max, "filled": String(format: "%.1f", filled),
            "places": (0..<max).map { ["x": $0 * Int(side)] },
        ]
    }
}

/// A rating's scale with a mark at the mean, which says of no value that it is the best.
enum ScaleBar {
    /// Where the first and the last value stand, in percent of its width, so that a mark there is whole.
    private static let (left, right) = (2.0, 98.0)

    static func values(of result: QuestionResults, mean: Double) -> [String: Any]? {
        let scale = (result.points ?? []).compactMap(\.value)
        guard let low = scale.min(), let high = scale.max(), low < high else { return nil }
        func place(_ value: Double) -> String {
            let share = (value - Double(low)) / Double(high - low)
            return String(format: "%.1f%%", left + (right - left) * min(max(share, 0), 1))
        }
        let ends = ends(of: result)
        return [
            "ticks": scale.map { ["x": place(Double($0))] }, "mark": place(mean), "low": ends?.low ?? "",
            "high": ends?.high ?? "",
        ]
    }

    /// What its lowest and its highest value mean.
    static func ends(of result: QuestionResults) -> (low: String, high: String)? {
        let scale = (result.points ?? []).compactMap(\.value)
        guard let low = scale.min(), let high = scale.max() else { return nil }
        return (
            [String(low), result.minLabel].compactMap(\.self).joined(separator: " "),
            [String(high), result.maxLabel].compactMap(\.self).joined(separator: " ")
        )
    }
}
