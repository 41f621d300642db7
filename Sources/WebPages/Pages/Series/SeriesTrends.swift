import Contract
import HTTPAPI

/// The trend of each question of a series, as a chart and as a table.
struct SeriesTrends {
    struct Values: TemplateValues {
        struct Row: TemplateValues {
            var id: String
            var round: Int
            var day: String
            /// The number of answers, or `–`.
            var n: String
            var cells: [String]
        }

        var key: String
        var title: String
        /// The pooled results of all rounds.
        var pooled: String
        /// The header of the column with the number of answers.
        var countHeader: String
        var columns: [String]
        var rows: [Row]
        var changes: [String]
        /// Nil for a text question, and for fewer than two rounds with numbers.
        var chart: Chart?
        /// The page with the texts of the newest round that has some; nil for other kinds of questions.
        var textsPath: String?
        /// The grid of which this is the first statement.
        var heat: GridHeat?
    }

    struct Chart: TemplateValues {
        struct LegendLine: TemplateValues {
            var `class`: String
            var label: String
        }

        var label: String
        var drawing: TrendDrawing
        /// The path of the picture for download.
        var picture: String
        var hasLegend: Bool
        var legend: [LegendLine]
        /// What the band around a single line is. Nil without a band.
        var band: String?
    }

    /// The maximum number of questions on the page.
    private static let maxQuestions = 12
    /// The kinds of changes after which numbers are hard to compare with earlier ones.
    static let described: Set = [
        "reworded", "kind", "scale", "retired", "restored", "conditioned", "option-added", "option-retired",
        "option-restored", "option-reworded",
    ]

    private(set) var values: [Values] = []
    /// Whether the series has further questions.
    private(set) var isTruncated = false
    /// Whether any question has numbers for at least two rounds.
    private(set) var hasComparableRounds = false
    /// The response rate of each round, by its number.
    private(set) var responseRates: [Int: Double?] = [:]

    init(
        of series: HostReader.SeriesAccess, _ rounds: [Meeting], _ reader: HostReader, _ page: PageRequest
    ) async throws {
        let (pooled, trends) = try await reader.overview(of: series, trends: Self.maxQuestions)
        let days = rounds.reduce(into: [Int: String]()) { days, round in
            guard let start = round.startsAt else { return }
            days[round.round] = LocalTime(round.timeZone).dayText(start, in: page.language)
        }
        isTruncated = pooled.questions.count > Self.maxQuestions
        for (question, trend) in zip(pooled.questions, trends) {
            for (round, rate) in zip(trend.rounds, trend.responseRate) { responseRates[round] = rate }
            if trend.n.count(where: { $0 != nil }) > 1 { hasComparableRounds = true }
            values.append(Self.values(trend, question.results, days, page))
        }
        let known = zip(pooled.questions, trends).map { (pooled: $0.results, trend: $1) }
        for (index, one) in known.enumerated() {
            guard let key = one.pooled.grid?.key, index == 0 || known[index - 1].pooled.grid?.key != key else {
                continue
            }
            values[index].heat = GridHeat(
                of: Array(known[index...].prefix { $0.pooled.grid?.key == key }), page.texts)
        }
    }

    /// The trend of one question. Nil if the series never asked it.
    static func one(
        _ key: String, of series: HostReader.SeriesAccess, _ reader: HostReader, _ page: PageRequest
    ) async throws -> Values? {
        let (pooled, trends) = try await reader.overview(of: series, trends: .max)
        return zip(pooled.questions, trends).first { $0.0.results.key == key }
            .map { values($1, $0.results, [:], page) }
    }

    private static func values(
        _ trend: Trend, _ pooled: QuestionResults, _ days: [Int: String], _ page: PageRequest
    ) -> Values {
        let texts = page.texts
        let lines =
            trend.datasets.contains { $0.id == "nps" } ? trend.datasets.filter { $0.id == "nps" } : trend.datasets
        let unit: TrendChart.Unit = trend.kind != "rating" ? .share : lines.first?.id == "nps" ? .score : .mean
        let changes = trend.changes.filter { described.contains($0.change) }
        var values = Values(
            key: trend.key, title: trend.title,
            pooled: [
                newest(trend, lines, unit, page), texts("series.pooled", ["answers": texts.answers(pooled.answered)]),
                ResultsBrief.number(of: pooled, texts),
            ].compactMap(\.self).joined(separator: " · "),
            // The numbers of a text question are shares of all submissions.
            countHeader: texts(trend.kind == "text" ? "series.forms" : "series.answers"),
            columns: lines.map { label($0, unit, texts) },
            rows: trend.rounds.indices.map { index in
                .init(
                    id: "\(trend.meetingIds[index])", round: trend.rounds[index], day: days[trend.rounds[index]] ?? "",
                    n: trend.n[index].map(String.init) ?? "–",
                    cells: lines.map { line in line.data[index].map { unit.text($0, in: page.language) } ?? "–" })
            },
            changes: changes.map { change in
                texts(
                    "series.change-\(change.change)",
                    ["round": "\(change.round)", "from": change.from ?? "", "to": change.to ?? ""])
            })
        if trend.kind == "text", let index = trend.n.lastIndex(where: { $0 ?? 0 > 0 }) {
            values.textsPath = "/meetings/\(trend.meetingIds[index])/results/\(trend.key)"
        }
        let roundsWithNumbers = trend.rounds.indices.count { index in lines.contains { $0.data[index] != nil } }
        if trend.kind != "text", roundsWithNumbers > 1 {
            let scale = (pooled.points ?? []).compactMap(\.value)
            let chart = TrendChart(
                rounds: trend.rounds, lines: Array(lines.prefix(TrendChart.maxLines)), unit: unit,
                marks: Set(changes.map(\.round)),
                scale: scale.min().flatMap { low in scale.max().map { Double(low)...Double($0) } })
            values.chart = Chart(
                label: texts("series.chart", ["title": trend.title]), drawing: chart.drawing,
                picture: "/series/\(page.safeParameter("id"))/trends/\(trend.key).svg", hasLegend: lines.count > 1,
                legend: lines.prefix(TrendChart.maxLines).enumerated().map {
                    .init(class: "line-\($0 + 1)", label: label($1, unit, texts))
                },
                band: lines.count == 1 ? band(lines[0], texts) : nil)
        }
        return values
    }

    /// The number of the newest round that has one; nil if several lines compare options.
    private static func newest(
        _ trend: Trend, _ lines: [Trend.Dataset], _ unit: TrendChart.Unit, _ page: PageRequest
    ) -> String? {
        guard unit != .share, let line = lines.first, let index = line.data.lastIndex(where: { $0 != nil }),
            let value = line.data[index]
        else { return nil }
        let text = "\(label(line, unit, page.texts)) \(unit.text(value, in: page.language))"
        return page.texts("series.newest-value", ["round": "\(trend.rounds[index])", "value": text])
    }

    private static func band(_ line: Trend.Dataset, _ texts: PageTexts) -> String? {
        let statements = line.firstStatements.map { texts("room.\($0)") }
        guard !statements.isEmpty else { return nil }
        return texts("series.band", ["statements": statements.joined(separator: "; ")])
    }

    private static func label(_ line: Trend.Dataset, _ unit: TrendChart.Unit, _ texts: PageTexts) -> String {
        switch line.id {
        case "mean" where unit == .mean: texts("series.mean")
        case "nps" where unit == .score: "NPS"
        case FormSheet.other where unit == .share: texts("form.other")
        case "answered" where line.label == "Answered": texts("series.answered")
        default: line.label
        }
    }
}
