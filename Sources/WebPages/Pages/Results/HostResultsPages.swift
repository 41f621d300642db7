import Contract
import HTTPAPI
import HTTPTypes

/// The results of a meeting for its hosts, updated while the page is open.
struct HostResultsPages: Sendable {
    var routes: [PageRoute] {
        [
            PageRoute(
                "/meetings/{id}/results", get: { try await view(MeetingContext($0)) },
                post: { try await TextActions.apply($0, orShow: view) })
        ] + TextsPages().routes + CrossTabPages().routes + ReportPages().routes
    }

    /// The filtered results, or all results without a filter or if the filter was refused.
    private struct Counted {
        var filter: ResultsFilter
        var results: Results
        var filtered: FilteredResults?
        /// Why the filter was refused.
        var refusal: (alert: String, status: HTTPResponse.Status)?
    }

    private func count(by filter: ResultsFilter, _ host: MeetingContext) async throws -> Counted {
        var refusal: (String, HTTPResponse.Status)?
        if filter.isSet {
            let answer = try await host.page.send(
                .get, host.source + "/results" + filter.query, as: host.authorization)
            if answer.status != .conflict, answer.status != .unprocessableContent {
                try host.session.check(answer)
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
        let isFiltered = counted.filtered != nil
        let parts = try await ResultsQuestions(
            results: results, source: host.source + "/results", authorization: host.authorization, page: page,
            questions: host.form.definition.questions, host: host, isFiltered: isFiltered
        ).parts()
        let hidden = TextActions.undoAction(for: page)
        var model = HostResultsPage(
            title: page.texts("charts.title", ["title": host.meeting.title]), heading: host.meeting.title,
            alert: alert ?? counted.refusal?.alert, subtitle: host.meeting.subtitle(page.texts), state: host.state,
            privacy: host.who.brief, meetingPath: host.path, seriesPath: host.seriesPath, address: host.address,
            rounds: NeighbouringRounds(of: host.details, subpage: "/results"), canEdit: host.canEdit,
            isDraft: host.form.state == "draft", livePath: host.path + "/live", revision: results.revision,
            submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
            withheld: ResultsQuestions.withheld(results, isShut: host.isShut, page),
            questions: parts.map { .init($0, isFiltered: isFiltered, hidden: hidden) },
            who: host.who.values(host.meeting, canEdit: host.canEdit),
            exports: Exports.lines(isSettled: isFiltered || results.withheld == nil, host),
            charts: ChartScripts(page), liveScript: page.kit.files.address("host.js"))
        if let filtered = counted.filtered {
            model.filteredCount = page.texts(
                "charts.filtered", ["count": "\(results.submissions)", "total": "\(filtered.total)"])
            model.sampledNotice = filtered.partial.map {
                page.texts("charts.sampled", ["read": "\($0.read)", "total": "\($0.total)"])
            }
        }
        // While an anonymous form is open, a filter could single out new submissions.
        if host.isAnonymous, !host.isShut {
            model.filterLaterNotice = page.texts("charts.filter-later")
        } else {
            model.filter = counted.filter.values(results.questions, host)
        }
        return page.page(model, status: alert == nil ? counted.refusal?.status ?? status : status)
    }
}
