import Contract
import Foundation
import HTTPAPI
import HTTPTypes

/// The cross-tab of two questions.
struct CrossTabPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/meetings/{id}/crosstab", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let host = try await MeetingContext(page)
        let results = try await host.reader.results(of: host.details)
        let asked = ["rows", "columns"].map { page.query[$0] ?? "" }
        let countable = results.questions.filter { $0.kind != "text" }
        var model = CrossTabPage(
            title: page.texts("charts.crosstab-title", ["title": host.meeting.title]), heading: host.meeting.title,
            meeting: host.path, path: host.path + "/crosstab", canChoose: countable.count > 1,
            choices: choices(among: countable, asked, page.texts))
        if host.isAnonymous, !host.isShut { model.later = page.texts("charts.filter-later") }
        guard asked.allSatisfy({ !$0.isEmpty }) else { return page.page(model) }
        let query = PathQuery([("rows", asked[0]), ("columns", asked[1])]).text
        let answer = try await page.send(.get, host.source + "/results/crosstab" + query, as: host.authorization)
        if answer.status == .conflict || answer.status == .unprocessableContent {
            model.alert = ResultsFilter.refusal(answer, host, ofComparison: true)
            model.later = nil
            return page.page(model, status: answer.status)
        }
        try host.session.check(answer)
        model.charts = ChartScripts(page)
        model.table = table(try answer.decoded(), results, page)
        return page.page(model)
    }

    /// The lists of questions. Two different ones are proposed at first.
    private func choices(
        among questions: [QuestionResults], _ asked: [String], _ texts: PageTexts
    ) -> [CrossTabPage.Choice] {
        let proposed = questions.prefix(2).map(\.key)
        return zip(["rows", "columns"], asked).enumerated().map { index, choice in
            let (name, typed) = choice
            let key = typed.isEmpty && proposed.count > index ? proposed[index] : typed
            return .init(
                name: name, label: texts.find("charts.\(name)") ?? name,
                options: questions.map { .init(value: $0.key, label: $0.title, chosen: $0.key == key) })
        }
    }

    private func table(_ crossTab: CrossTab, _ results: Results, _ page: PageRequest) -> CrossTabPage.Table {
        let recommendations = Set(results.questions.filter { $0.summary?.nps != nil }.map(\.key))
        let table = CrossTabTable(crossTab, recommendations: recommendations, page.texts)
        return .init(
            answered: page.texts("charts.answered-both", ["count": "\(crossTab.answered)"]),
            sampled: crossTab.partial.map {
                page.texts("charts.sampled", ["read": "\($0.read)", "total": "\($0.of)"])
            },
            isWhole: table.isWhole, isRecommendation: recommendations.contains(crossTab.columns.key),
            rows: crossTab.rows.title, columns: crossTab.columns.title, width: table.heads.count,
            heads: table.heads.map { .init(label: $0) },
            lines: table.lines.map { line in
                .init(
                    label: line.label,
                    cells: line.cells.map { cell in
                        .init(
                            count: cell.count, share: cell.share.map(NumberText.percent),
                            percent: cell.share.map { String(format: "%.1f", $0 * 100) } ?? "0")
                    })
            })
    }
}

struct CrossTabPage: PageModel {
    /// One of the two lists of questions.
    struct Choice: TemplateValues {
        struct Option: TemplateValues {
            var value: String
            var label: String
            var chosen: Bool
        }

        var name: String
        var label: String
        var options: [Option]
    }

    struct Table: TemplateValues {
        struct Head: TemplateValues { var label: String }

        struct Line: TemplateValues {
            struct Cell: TemplateValues {
                var count: Int
                var share: String?
                /// The share for the chart.
                var percent: String
            }

            var label: String
            var cells: [Cell]
        }

        var answered: String
        /// Says that not all submissions were counted.
        var sampled: String?
        var isWhole: Bool
        var isRecommendation: Bool
        /// The titles of the questions.
        var rows: String
        var columns: String
        /// The number of columns.
        var width: Int
        var heads: [Head]
        var lines: [Line]
    }

    static let template = "host-crosstab"
    var title: String
    var heading: String
    var alert: String?
    /// The path of the meeting.
    var meeting: String
    var path: String
    /// Says when an anonymous form can be compared.
    var later: String?
    var canChoose: Bool
    var choices: [Choice]
    var charts: ChartScripts?
    var table: Table?
}
