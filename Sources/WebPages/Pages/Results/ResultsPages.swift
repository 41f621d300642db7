import Contract
import Foundation
import HTTPAPI
import HTTPTypes

/// The results of a meeting for its hosts, as they come.
struct ResultsPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/results", get: { try await view(MeetingContext($0)) }, post: act)]
            + TextsPages(kit: kit).routes + CrossTabPages(kit: kit).routes + ReportPages(kit: kit).routes
    }

    /// What was counted; of all, and why, where it was not counted as asked for.
    private struct Counted {
        var filter: ResultsFilter
        var results: Results
        var filtered: FilteredResults?
        var refusal: (alert: String, status: HTTPResponse.Status)?
    }

    private func count(by filter: ResultsFilter, _ host: MeetingContext) async throws -> Counted {
        var refusal: (String, HTTPResponse.Status)?
        if filter.isSet {
            let answer = try await host.page.ask(
                .get, host.source + "/results" + filter.query, as: host.authorization)
            if answer.status != .conflict, answer.status != .unprocessableContent {
                try host.visit.check(answer)
                let filtered: FilteredResults = try answer.decoded()
                return Counted(filter: filter, results: filtered.results, filtered: filtered)
            }
            refusal = (ResultsFilter.refusal(answer, host), answer.status)
        }
        let all = try await host.reader.results(of: host.details)
        return Counted(filter: ResultsFilter(conditions: []), results: all, refusal: refusal)
    }

    private func view(
        _ host: MeetingContext, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        let page = host.page
        let counted = try await count(by: ResultsFilter(page), host)
        let results = counted.results
        var head = host.head
        head["title"] = page.texts("charts.title", ["title": host.meeting.title])
        head["alert"] = alert ?? counted.refusal?.alert
        head["live"] = host.path + "/live"
        head["liveScript"] = kit.files.address("host.js")
        head["rounds"] = NeighbouringRounds.values(of: host.details, place: "/results")
        head["isDraft"] = host.form.state == "draft"
        if let filtered = counted.filtered {
            head["filtered"] = page.texts(
                "charts.filtered", ["count": "\(results.submissions)", "total": "\(filtered.total)"])
            if let partial = filtered.partial {
                head["sampled"] = page.texts("charts.sampled", ["read": "\(partial.read)", "total": "\(partial.of)"])
            }
        }
        // An anonymous form is taken apart by nobody while its answers come.
        if host.isAnonymous, !host.isShut {
            head["filterLater"] = page.texts("charts.filter-later")
        } else {
            head["filter"] = counted.filter.values(results.questions, host)
        }
        head["exports"] = Exports.values(isSettled: counted.filtered != nil || results.withheld == nil, host)
        let shown = ResultsPage(
            results: results, source: host.source + "/results", authorization: host.authorization, page: page,
            questions: host.form.definition.questions, host: host, isFiltered: counted.filtered != nil)
        return page.page(
            "host-results", try await shown.values(head: head),
            status: alert == nil ? counted.refusal?.status ?? status : status)
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let host = try await MeetingContext(page)
        guard CSRFGuard.admits(page) else {
            return try await view(host, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        switch try await TextActs.perform(host) {
        case .done(let answer): return answer
        case .refused(let trouble):
            return try await view(host, alert: page.sentence(trouble), status: trouble.status)
        }
    }
}
