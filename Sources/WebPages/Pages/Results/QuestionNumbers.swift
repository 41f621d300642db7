import Contract
import Domain

/// The numbers of one question for the template `question-numbers`.
struct QuestionNumbers: TemplateValues, Hashable {
    var title: String
    /// Whether the question is below the numbers of its grid.
    var isStatement = false
    var isRetired: Bool
    /// Says that the minimum group withholds all numbers. Nil if it does not.
    var withheldNotice: String?
    /// The number of people who were asked, as text. Nil if everybody is.
    var asked: String?
    /// The number of people who answered, and of those who skipped the question, as text.
    var answered: String?
    var skipped: String?
    /// The number of people who abstained, with the label of the abstention.
    var abstained: String?
    /// The mean or the net promoter score.
    var summary: String?
    var stars: Stars?
    /// The median, the standard deviation, and the interval of the mean.
    var spread: String?
    var scaleBar: ScaleBar?
    /// What the numbers say of the people in the room.
    var room: RoomTable?
    /// The change since an earlier round.
    var change: RoundComparison.Sentence?
    /// The changes of the people who answered both rounds.
    var pairs: PairsTable?
    /// Says why the people who answered are known, but not compared with themselves.
    var unpairedNotice: String?
    var table: NumberTable?
    /// The counts of all values of a recommendation. Its `table` shows only the three groups.
    var scale: NumberTable?
}

/// The counts of a question for the template `bars`.
struct NumberTable: TemplateValues, Hashable {
    struct Row: TemplateValues, Hashable {
        var label: String
        /// The label of the lowest or the highest value of a scale.
        var endLabel: String?
        var count: Int
        var share: String?
        /// The length of the bar, out of 1000.
        var width: Int
        /// The interval of the share.
        var range: String?
        var change: RoundComparison.Cell?
    }

    /// The kind of the chart; nil for a table without one.
    var kind: String?
    /// Whether the labels are numbers, which need little width.
    var isScale: Bool
    var hasEnds: Bool
    var hasChanges: Bool
    /// Whether the interval of at least one change excludes 0.
    var hasClearChanges: Bool
    var hasRanges: Bool
    /// The header of the column with the ranges.
    var rangeHeader: String
    /// Whether only screen readers get the table's header.
    var isHeadHidden: Bool
    /// The header of the column with the changes.
    var since: RoundComparison.Sentence?
    var rows: [Row]
}

/// Turns the results of one question into the numbers on a page.
struct QuestionWriter {
    /// The largest number of parts that are easy to distinguish in a ring.
    private static let maxRingParts = 5
    /// The length of the bar for a share of 1.
    private static let barLength = 1000.0
    /// The smallest number of answers for which the interval of a mean is shown.
    private static let minAnswersForInterval = 5

    let result: QuestionResults
    /// The question in the form's newest version, if it is known.
    var definition: QuestionBody?
    var withheld: Results.Withheld?
    let texts: PageTexts
    var isFiltered = false
    /// How the number of people in the room is known.
    var roomBase: String?
    /// Whether tables show the intervals of shares.
    var showsRanges = false

    private var room: RoomWriter? { RoomWriter(result, base: roomBase, texts) }

    /// Whether the minimum group withholds all numbers.
    private var isWithheld: Bool {
        guard withheld != nil else { return false }
        return result.points?.isEmpty ?? (result.answered == 0 && result.skipped == 0)
    }

    func numbers(with comparison: RoundComparison? = nil) -> QuestionNumbers {
        var numbers = QuestionNumbers(title: result.title, isRetired: result.retired == true)
        if isWithheld {
            numbers.withheldNotice =
                isFiltered
                ? texts("charts.question-withheld")
                : texts("results.withheld", ["minimum": "\(withheld?.minimum ?? 0)"])
            return numbers
        }
        numbers.answered = texts.answers(result.answered)
        if definition?.showIf != nil { numbers.asked = texts("charts.asked", ["count": "\(result.asked)"]) }
        if let label = result.abstain, let abstained = result.abstained, abstained > 0 {
            numbers.abstained = texts("charts.abstained", ["label": label, "count": "\(abstained)"])
        }
        // Of people who were asked, those who did not answer skipped the question.
        if result.skipped > 0, numbers.asked == nil {
            numbers.skipped = texts("charts.skipped", ["count": "\(result.skipped)"])
        }
        // Without answers, the table would contain only zeros, so it is left out.
        let points = result.answered > 0 ? (result.points ?? []).filter(isShown) : []
        if let nps = result.summary?.nps {
            numbers.summary = score(nps)
            numbers.table = table(groups(nps), kind: "stack")
            numbers.scale = table(points.map { row($0, nil) }, kind: nil)
        } else {
            if let summary = result.summary, let mean = summary.mean {
                numbers.summary = texts("results.mean", ["mean": NumberText.decimal(mean, in: texts.language)])
                numbers.spread = spread(summary)
                if isGrade {
                    numbers.stars = Stars(mean: mean, outOf: points.compactMap(\.value).max() ?? 0)
                } else {
                    numbers.scaleBar = ScaleBar(of: result, mean: mean)
                }
            }
            if !points.isEmpty {
                numbers.table = table(points.map { row($0, comparison) }, kind: chartKind, comparison)
            }
        }
        numbers.room = room?.table(points)
        numbers.change = comparison?.sentence
        return numbers
    }

    /// Whether the table shows an option. Retired options are shown only if somebody chose them.
    private func isShown(_ point: QuestionResults.Point) -> Bool {
        guard let definition, let options = definition.options, point.count == 0 else { return true }
        return options.contains { $0.id == point.id } || point.id == FormSheet.other && definition.other == true
    }

    // MARK: The table

    private func row(_ point: QuestionResults.Point, _ comparison: RoundComparison?) -> NumberTable.Row {
        var row = row(ResultsFilter.label(of: point, in: result, texts), point.count, point.share)
        row.endLabel = endLabel(point)
        row.range =
            if let room { room.range(of: point) } else {
                point.low.flatMap { low in point.high.map { NumberText.percents(low, $0) } }
            }
        row.change = comparison?.cells[point.id]
        return row
    }

    /// Bars of the same share have the same length in every table.
    private func row(_ label: String, _ count: Int, _ share: Double?) -> NumberTable.Row {
        .init(
            label: label, count: count, share: share.map(NumberText.percent),
            width: Int((Self.barLength * (share ?? 0)).rounded()))
    }

    private func endLabel(_ point: QuestionResults.Point) -> String? {
        guard result.kind == "rating" else { return nil }
        if point.id == result.points?.first?.id { return result.minLabel }
        return point.id == result.points?.last?.id ? result.maxLabel : nil
    }

    /// Whether a higher rating is better. If an end of the scale has a label, the best value may be in the middle. The
    /// labels of a retired question are unknown, so its ratings are not treated as grades.
    private var isGrade: Bool {
        result.minLabel == nil && result.maxLabel == nil && result.retired != true
    }

    private func groups(_ nps: QuestionResults.NetPromoterScore) -> [NumberTable.Row] {
        [("promoters", nps.promoters), ("passives", nps.passives), ("detractors", nps.detractors)].map { name, count in
            row(
                texts.find("charts.\(name)") ?? name, count,
                result.answered > 0 ? Double(count) / Double(result.answered) : nil)
        }
    }

    private func table(
        _ rows: [NumberTable.Row], kind: String?, _ comparison: RoundComparison? = nil
    ) -> NumberTable {
        let hasChanges = rows.contains { $0.change != nil }
        return NumberTable(
            kind: kind, isScale: result.kind == "rating" && kind != "stack",
            hasEnds: rows.contains { $0.endLabel != nil },
            hasChanges: hasChanges, hasClearChanges: rows.contains { $0.change?.isClear == true },
            hasRanges: showsRanges && rows.contains { $0.range != nil },
            rangeHeader: room?.rangeHeader ?? texts("charts.range"), isHeadHidden: !hasChanges && !showsRanges,
            since: comparison?.since, rows: rows)
    }

    /// The kind of the chart. A ring requires answers that exclude each other, and few options.
    private var chartKind: String {
        guard result.kind == "choice" else { return "columns" }
        let points = result.points ?? []
        let isExclusive = definition?.multiple.map { !$0 } ?? (points.reduce(0) { $0 + $1.count } == result.answered)
        return isExclusive && points.count <= Self.maxRingParts ? "doughnut" : "bars"
    }

    // MARK: The summary

    private func score(_ nps: QuestionResults.NetPromoterScore) -> String {
        let text = texts("results.nps", ["score": NumberText.score(nps.score)])
        if let range = room?.score { return "\(text); \(range)" }
        guard let low = nps.low, let high = nps.high else { return text }
        return text + " "
            + texts("charts.interval", ["low": NumberText.score(low), "high": NumberText.score(high)])
    }

    /// The interval of the mean, clipped to the scale. Nil for too few answers.
    private func interval(_ summary: QuestionResults.Summary) -> (Double, Double)? {
        guard result.answered >= Self.minAnswersForInterval, let bounds = summary.confidence95, bounds.count == 2 else {
            return nil
        }
        let scale = (result.points ?? []).compactMap(\.value)
        guard let lowest = scale.min(), let highest = scale.max() else { return (bounds[0], bounds[1]) }
        let interval = Interval(low: bounds[0], high: bounds[1]).clipped(to: lowest...highest)
        return (interval.low, interval.high)
    }

    /// The interval, the medians and the standard deviation.
    private func spread(_ summary: QuestionResults.Summary) -> String? {
        var parts: [String] = []
        if let range = room?.mean {
            parts.append(range)
        } else if let (low, high) = interval(summary) {
            let bounds = ["low": low, "high": high].mapValues { NumberText.decimal($0, in: texts.language) }
            parts.append(texts("charts.interval", bounds))
        }
        if let median = summary.median {
            parts.append(texts("charts.median", ["median": NumberText.short(median, in: texts.language)]))
        }
        if let median = summary.groupedMedian {
            parts.append(texts("charts.grouped-median", ["median": NumberText.decimal(median, in: texts.language)]))
        }
        if let deviation = summary.standardDeviation {
            let text = NumberText.decimal(deviation, in: texts.language)
            parts.append(texts("charts.deviation", ["deviation": text]))
        }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}

extension PageTexts {
    /// The number of answers as text.
    func answers(_ count: Int) -> String {
        callAsFunction("results.answers", ["count": "\(count)"])
    }
}
