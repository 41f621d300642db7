import Contract
import Foundation
import HTTPAPI

/// How the answers to each question of a series change from round to round, as pictures and as tables.
struct SeriesTrends {
    /// Questions that a page draws.
    private static let questions = 12
    /// Changes that make numbers before and after them hard to compare; of the others nothing is said here.
    static let described: Set = [
        "reworded", "kind", "scale", "retired", "restored", "option-added", "option-retired", "option-restored",
        "option-reworded",
    ]

    private(set) var values: [[String: Any]] = []
    /// Whether there are questions beyond those.
    private(set) var isCut = false
    /// No question has numbers of two rounds yet.
    private(set) var isBeginning = true
    /// By round.
    private(set) var responseRates: [Int: Double?] = [:]

    init(
        of series: HostReader.SeriesAccess, _ rounds: [Meeting], _ reader: HostReader, _ page: PageRequest
    ) async throws {
        let (pooled, trends) = try await reader.overview(of: series, trends: Self.questions)
        let days = rounds.reduce(into: [Int: String]()) { days, round in
            guard let start = round.startsAt else { return }
            days[round.round] = LocalTime(round.timeZone).dayText(start, in: page.language)
        }
        isCut = pooled.questions.count > Self.questions
        for (question, trend) in zip(pooled.questions, trends) {
            for (round, rate) in zip(trend.rounds, trend.responseRate) { responseRates[round] = rate }
            if trend.n.count(where: { $0 != nil }) > 1 { isBeginning = false }
            values.append(Self.values(trend, question.results, days, page))
        }
    }

    /// The trend of one question; nil where the series never asked it.
    static func one(
        _ key: String, of series: HostReader.SeriesAccess, _ reader: HostReader, _ page: PageRequest
    ) async throws -> [String: Any]? {
        let (pooled, trends) = try await reader.overview(of: series, trends: .max)
        return zip(pooled.questions, trends).first { $0.0.results.key == key }
            .map { values($1, $0.results, [:], page) }
    }

    private static func values(
        _ trend: Trend, _ pooled: QuestionResults, _ days: [Int: String], _ page: PageRequest
    ) -> [String: Any] {
        let texts = page.texts
        let lines =
            trend.datasets.contains { $0.id == "nps" } ? trend.datasets.filter { $0.id == "nps" } : trend.datasets
        let unit: TrendChart.Unit = trend.kind != "rating" ? .share : lines.first?.id == "nps" ? .score : .mean
        let changes = trend.changes.filter { described.contains($0.change) }
        let sum = pooled.answered == 1 ? "results.one-answer" : "results.answers"
        var values: [String: Any] = [
            "key": trend.key, "title": trend.title,
            "pooled": [
                texts("series.pooled", ["answers": texts(sum, ["count": "\(pooled.answered)"])]),
                ResultsBrief.number(of: pooled, texts),
            ].compactMap(\.self).joined(separator: " · "),
            // Of a text the numbers are shares of all forms, not of what was written.
            "counted": texts(trend.kind == "text" ? "series.forms" : "series.answers"),
            "columns": lines.map { ["label": label($0, unit, texts)] },
            "rows": trend.rounds.indices.map { place -> [String: Any] in
                [
                    "id": "\(trend.meetingIds[place])", "round": trend.rounds[place],
                    "day": days[trend.rounds[place]] ?? "", "n": trend.n[place].map(String.init) ?? "–",
                    "cells": lines.map { line in
                        ["text": line.data[place].map { unit.text($0) } ?? "–"]
                    },
                ]
            },
            "changes": changes.map { change in
                [
                    "text": texts(
                        "series.change-\(change.change)",
                        ["round": "\(change.round)", "from": change.from ?? "", "to": change.to ?? ""])
                ]
            },
        ]
        // One round is no trend, and how many wrote a text says little.
        let counted = trend.rounds.indices.count { place in lines.contains { $0.data[place] != nil } }
        if trend.kind != "text", counted > 1 {
            let scale = (pooled.points ?? []).compactMap(\.value)
            let chart = TrendChart(
                rounds: trend.rounds, lines: Array(lines.prefix(TrendChart.lines)), unit: unit,
                marks: Set(changes.map(\.round)),
                scale: scale.min().flatMap { low in scale.max().map { Double(low)...Double($0) } })
            values["chart"] = chart.values.merging(
                [
                    "label": texts("series.chart", ["title": trend.title]),
                    "picture": "/series/\(page.word("id"))/trends/\(trend.key).svg",
                    "hasLegend": lines.count > 1,
                    "legend": lines.prefix(TrendChart.lines).enumerated().map {
                        ["class": "line-\($0 + 1)", "label": label($1, unit, texts)]
                    },
                ]) { $1 }
        }
        return values
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
