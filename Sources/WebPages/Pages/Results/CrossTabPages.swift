import Contract
import HTTPAPI
import HTTPTypes

/// Two questions against each other, as a table.
struct CrossTabPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/meetings/{id}/crosstab", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let host = try await MeetingContext(page)
        let results = try await host.reader.results(of: host.details)
        let asked = ["rows", "columns"].map { page.query[$0] ?? "" }
        let countable = results.questions.filter { $0.kind != "text" }
        var values = host.head
        values["title"] = page.texts("charts.crosstab-title", ["title": host.meeting.title])
        values["path"] = host.path + "/crosstab"
        // Two different ones to begin with.
        let proposed = countable.prefix(2).map(\.key)
        values["choices"] = zip(["rows", "columns"], asked).enumerated().map { place, choice -> [String: Any] in
            let (name, typed) = choice
            let key = typed.isEmpty && proposed.count > place ? proposed[place] : typed
            return [
                "name": name, "label": page.texts.find("charts.\(name)") ?? name,
                "options": countable.map {
                    ["value": $0.key, "label": $0.title, "chosen": $0.key == key] as [String: Any]
                },
            ]
        }
        values["canChoose"] = countable.count > 1
        if host.isAnonymous, !host.isShut { values["later"] = page.texts("charts.filter-later") }
        guard asked.allSatisfy({ !$0.isEmpty }) else { return page.page("host-crosstab", values) }
        let query = PathQuery([("rows", asked[0]), ("columns", asked[1])]).text
        let answer = try await page.ask(.get, host.source + "/results/crosstab" + query, as: host.authorization)
        if answer.status == .conflict || answer.status == .unprocessableContent {
            values["alert"] = ResultsFilter.refusal(answer, host, ofComparison: true)
            values["later"] = nil
            return page.page("host-crosstab", values, status: answer.status)
        }
        try host.visit.check(answer)
        values["charts"] = ResultsPage.charts(page)
        values["table"] = table(try answer.decoded(), results, page)
        return page.page("host-crosstab", values)
    }

    private func table(_ crossTab: CrossTab, _ results: Results, _ page: PageRequest) -> [String: Any] {
        let recommendations = Set(results.questions.filter { $0.summary?.nps != nil }.map(\.key))
        var values = CrossTabTable(crossTab, recommendations: recommendations, page.texts).values
        values["rows"] = crossTab.rows.title
        values["columns"] = crossTab.columns.title
        values["isRecommendation"] = recommendations.contains(crossTab.columns.key)
        values["answered"] = page.texts("charts.answered-both", ["count": "\(crossTab.answered)"])
        if let partial = crossTab.partial {
            values["sampled"] = page.texts("charts.sampled", ["read": "\(partial.read)", "total": "\(partial.of)"])
        }
        return values
    }
}
