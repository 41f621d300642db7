import Contract
import HTTPAPI
import HTTPTypes

/// The results of a meeting for its hosts, updated while the page is open.
struct HostResultsPages: Sendable {
    private let rendered = RenderedPages<HostResultsPage>()

    var routes: [PageRoute] {
        [
            PageRoute(
                "/meetings/{id}/results", get: { try await view(MeetingContext($0)) },
                post: { try await TextAction.apply($0, orShow: view) })
        ] + TextsPages().routes + CrossTabPages().routes + ReportPages().routes
            + TeamSummaryPages().routes + DecisionPages().routes
    }

    /// The filtered results, or all results if no filter is set or the filter was refused.
    private struct Counted {
        var filter: ResultsFilter
        var results: Results
        var filtered: FilteredResults?
        /// Why the filter was refused.
        var refusal: (alert: String, status: HTTPResponse.Status)?
    }

    /// - Parameter results: All results.
    private func count(
        _ results: Results, by filter: ResultsFilter, _ context: MeetingContext
    ) async throws -> Counted {
        var refusal: (String, HTTPResponse.Status)?
        if filter.isSet {
            let response = try await context.page.send(
                .get, context.source + "/results" + filter.query, as: context.authorization)
            if ![.conflict, .unprocessableContent, .gone].contains(response.status) {
                try context.session.check(response)
                let filtered: FilteredResults = try response.decoded()
                return Counted(filter: filter, results: filtered.results, filtered: filtered)
            }
            refusal = (ResultsFilter.refusal(response, context), response.status)
        }
        return Counted(filter: ResultsFilter(conditions: []), results: results, refusal: refusal)
    }

    private func view(
        _ context: MeetingContext, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let results = try await context.reader.results(of: context.details)
        return try await context.page.kit.largePages.make(isLarge: LargePages.isLarge(results), for: context.page) {
            try await makePage(results, context, alert: alert, status: status)
        }
    }

    private func makePage(
        _ all: Results, _ context: MeetingContext, alert: String?, status: HTTPResponse.Status
    ) async throws -> PageResponse {
        let page = context.page
        let counted = try await count(all, by: ResultsFilter(page), context)
        let results = counted.results
        let isFiltered = counted.filtered != nil
        let parts = try await ResultsQuestions(
            results: results, texts: page.texts, questions: context.form.definition.questions.expanded,
            host: context.host,
            isFiltered: isFiltered, alpha: context.alpha(of:)
        ).parts()
        let decisions = try await context.reader.decisions(of: context.details)
        let hidden = TextAction.undoAction(for: page)
        var model = HostResultsPage(
            title: page.texts("charts.title", ["title": context.meeting.title]),
            head: MeetingHead(context, tab: .results), alert: alert ?? counted.refusal?.alert,
            meetingPath: context.path, address: context.address, canEdit: context.canEdit,
            isDraft: context.form.state == "draft", livePath: context.path + "/live", revision: results.revision,
            decisions: DecisionList.all(decisions, of: all, page.texts),
            submissions: ResultsQuestions.submissions(results, page), ring: ResponseRing(results, page),
            exceededNotice: ResponseRing.exceededNotice(results, page.texts),
            withheld: ResultsQuestions.withheld(results, isShut: context.isShut, isFiltered: isFiltered, page),
            questions: parts.map {
                .init($0, isFiltered: isFiltered, hidden: hidden, areTextsDeleted: context.answersDeletedNotice != nil)
            },
            who: context.who.values(context.meeting, canEdit: context.canEdit),
            exports: Exports.lines(isPartlyWithheld: !isFiltered && results.withheld != nil, context),
            charts: ChartScripts(page), liveScript: page.kit.files.address("host.js"))
        if let filtered = counted.filtered {
            model.filteredCount = page.texts(
                "charts.filtered", ["count": "\(results.submissions)", "total": "\(filtered.total)"])
            model.sampledNotice = filtered.partial.map {
                page.texts("charts.sampled", ["read": "\($0.read)", "total": "\($0.total)"])
            }
        }
        model.deletedNotice = context.answersDeletedNotice
        if model.deletedNotice != nil {
            // A filter would have to count the deleted answers.
        } else if context.isAnonymous, !context.isShut {
            // While an anonymous form is open, a filter could single out new submissions.
            model.filterLaterNotice = page.texts("charts.filter-later")
        } else {
            model.filter = counted.filter.values(results.questions, context)
        }
        // Pages with a filter or a message are rarely opened twice. Texts are not kept in memory, because they may be
        // hidden, withdrawn or deleted.
        let hasTexts = model.questions.contains { !$0.texts.isEmpty }
        guard hasTexts || model.alert != nil || page.hasQuery else {
            return try await rendered.response(model, for: page) { model }
        }
        return page.page(model, status: alert == nil ? counted.refusal?.status ?? status : status)
    }
}
