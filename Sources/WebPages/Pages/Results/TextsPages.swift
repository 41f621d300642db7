import Contract
import HTTPAPI
import HTTPTypes

/// The text answers to one question, in pages, with a search and the most frequent words.
struct TextsPages: Sendable {
    /// The number of texts on a page, and the largest number of words.
    private static let (pageSize, maxWords) = (50, 30)

    var routes: [PageRoute] {
        [
            PageRoute(
                "/meetings/{id}/results/{key}", get: { try await view(MeetingContext($0)) },
                post: { try await TextAction.apply($0, orShow: view) })
        ]
    }

    private func view(
        _ context: MeetingContext, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = context.page
        let key = page.safeParameter("key")
        let results = try await context.reader.results(of: context.details)
        guard let result = results.questions.first(where: { $0.key == key && ($0.kind == "text" || $0.ownAnswers > 0) })
        else {
            throw PageError.notFound
        }
        let strings = page.texts
        let isText = result.kind == "text"
        let isHidden = page.query["hidden"] == "true"
        let search = page.query["q"].flatMap(\.nonEmpty)
        var model = TextsPage(
            title: result.title, meetingTitle: context.meeting.title,
            answered: strings.answers(isText ? result.answered : result.ownAnswers), alert: alert,
            meetingPath: context.path,
            seriesPath: context.seriesPath, path: "\(context.path)/results/\(key)", address: context.address, key: key,
            canEdit: context.canEdit, isHidden: isHidden, isReleasable: isText, isReleased: result.released == true,
            search: search,
            undoAction: TextAction.undoAction(for: page)?.action)

        let query = PathQuery([("limit", "\(Self.pageSize)")] + (isHidden ? [("hidden", "true")] : []))
            .with("q", search)
        let cursor = page.query["cursor"].flatMap(\.nonEmpty)
        let answersPath = context.source + "/results/\(key)/answers"
        var response = try await page.send(
            .get, answersPath + query.with("cursor", cursor).text, as: context.authorization)
        if response.status == .unprocessableContent, cursor != nil {
            // Either the cursor or the search is invalid. If the request for the first page fails too, the search is
            // invalid.
            model.alert = alert ?? strings("charts.list-changed")
            response = try await page.send(.get, answersPath + query.text, as: context.authorization)
        }
        switch response.status {
        case .ok: break
        case .conflict:
            model.laterNotice = strings("charts.texts-later")
            return page.page(model, status: status)
        case .gone:
            model.laterNotice = context.answersDeletedNotice ?? strings("problem.answers-deleted")
            return page.page(model, status: status)
        case .unprocessableContent:
            model.alert = strings("charts.search-too-long")
            return page.page(model, status: response.status)
        default: try context.session.check(response)
        }
        var list = TextsPage.List(
            try response.decoded(), path: model.path, search: search, isHidden: isHidden, cursor: cursor,
            time: { context.clock.text($0, in: page.language) })
        if !isHidden { list.words = try await words(context, key, model.path) }
        if list.isEmpty, let search {
            list.notFoundNotice = strings(isHidden ? "charts.not-found-hidden" : "charts.not-found", ["search": search])
        }
        model.list = list
        return page.page(model, status: status)
    }

    /// The most frequent words, each with a link that searches for the word.
    private func words(_ context: MeetingContext, _ key: String, _ path: String) async throws -> TextsPage.Words? {
        let response = try await context.page.send(
            .get, "\(context.source)/results/\(key)/terms?limit=\(Self.maxWords)", as: context.authorization)
        guard response.status == .ok else { return nil }
        let terms: Terms = try response.decoded()
        // A word of one answer alone is not frequent.
        let frequent = terms.items.filter { $0.answers > 1 }
        guard !frequent.isEmpty else { return nil }
        return .init(
            items: frequent.map { term in
                .init(term: term.term, count: term.answers, href: path + PathQuery([("q", term.term)]).text)
            },
            sampledNotice: terms.sampled
                ? context.page.texts(
                    "charts.words-sampled", ["read": "\(terms.answers)", "total": "\(terms.total)"]) : nil)
    }
}
