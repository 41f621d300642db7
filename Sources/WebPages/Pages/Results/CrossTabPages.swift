import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import NIOCore

/// The cross-tab of two questions.
struct CrossTabPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/meetings/{id}/crosstab", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let context = try await MeetingContext(page)
        let results = try await context.reader.results(of: context.details)
        let selected = ["rows", "columns"].map { page.query[$0] ?? "" }
        let countable = results.questions.filter { $0.kind != "text" }
        var model = CrossTabPage(
            title: page.texts("charts.crosstab-title", ["title": context.meeting.title]),
            heading: context.meeting.title, meetingPath: context.path, path: context.path + "/crosstab",
            canChoose: countable.count > 1, choices: choices(among: countable, selected, page.texts))
        if context.isAnonymous, !context.isShut { model.laterNotice = page.texts("charts.filter-later") }
        guard selected.allSatisfy({ !$0.isEmpty }) else { return page.page(model) }
        let query = PathQuery([("rows", selected[0]), ("columns", selected[1])]).text
        let response = try await page.send(
            .get, context.source + "/results/crosstab" + query, as: context.authorization)
        if [.conflict, .unprocessableContent, .gone].contains(response.status) {
            model.alert = ResultsFilter.refusal(response, context, ofCrossTab: true)
            model.laterNotice = nil
            return page.page(model, status: response.status)
        }
        try context.session.check(response)
        return try await page.kit.largePages.make(
            isLarge: LargePages.isLarge(bytes: response.bytes.readableBytes), for: page
        ) {
            model.charts = ChartScripts(page)
            model.table = table(try response.decoded(), results, page)
            return page.page(model)
        }
    }

    /// The two lists of questions. If nothing is selected yet, two different questions are proposed.
    private func choices(
        among questions: [QuestionResults], _ selected: [String], _ texts: PageTexts
    ) -> [CrossTabPage.Choice] {
        let proposed = questions.prefix(2).map(\.key)
        return zip(["rows", "columns"], selected).enumerated().map { index, choice in
            let (name, selectedKey) = choice
            let key = selectedKey.isEmpty && proposed.count > index ? proposed[index] : selectedKey
            return .init(
                name: name, label: texts.find("charts.\(name)") ?? name,
                options: questions.map { .init(choice: $0.key, words: $0.title, isChosen: $0.key == key) })
        }
    }

    private func table(_ crossTab: CrossTab, _ results: Results, _ page: PageRequest) -> CrossTabPage.Table {
        let recommendations = Set(results.questions.filter { $0.summary?.nps != nil }.map(\.key))
        let ends = Dictionary(
            results.questions.map { ($0.key, (low: $0.minLabel, high: $0.maxLabel)) }, uniquingKeysWith: { $1 })
        let table = CrossTabTable(crossTab, recommendations: recommendations, ends: ends, page.texts)
        return .init(
            answered: page.texts("charts.answered-both", ["count": "\(crossTab.answered)"]),
            sampledNotice: crossTab.partial.map {
                page.texts("charts.sampled", ["read": "\($0.read)", "total": "\($0.total)"])
            },
            sharesAddUp: table.sharesAddUp, isRecommendation: recommendations.contains(crossTab.columns.key),
            isScale: crossTab.columns.kind == "rating",
            rows: crossTab.rows.title, columns: crossTab.columns.title, width: table.headers.count,
            headers: table.headers,
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
        var name: String
        var label: String
        var options: [PageField.Values.Choice]
    }

    struct Table: TemplateValues {
        struct Line: TemplateValues {
            struct Cell: TemplateValues {
                var count: Int
                var share: String?
                /// The share in percent, from which a script draws the chart.
                var percent: String
            }

            var label: String
            var cells: [Cell]
        }

        var answered: String
        /// Says that not all submissions were counted. Nil if all were.
        var sampledNotice: String?
        /// Whether the shares of each row add up to at most 1.
        var sharesAddUp: Bool
        /// Whether the columns are the three groups of a recommendation.
        var isRecommendation: Bool
        /// Whether the columns are the values of a scale, whose colours are steps of one.
        var isScale: Bool
        /// The titles of the two questions whose answers are the rows and the columns.
        var rows: String
        var columns: String
        /// The number of columns.
        var width: Int
        var headers: [String]
        var lines: [Line]
    }

    static let template = "host-crosstab"
    var title: String
    var heading: String
    var alert: String?
    var meetingPath: String
    /// The path of this page.
    var path: String
    /// Says when questions of an anonymous form can be compared.
    var laterNotice: String?
    /// Whether there are two questions to compare.
    var canChoose: Bool
    var choices: [Choice]
    var charts: ChartScripts?
    var table: Table?
}
