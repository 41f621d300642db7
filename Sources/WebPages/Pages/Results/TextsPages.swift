import Contract
import HTTPAPI
import HTTPTypes

/// The text answers to one question, in pages, with a search and the most frequent words.
struct TextsPages: Sendable {
    /// The number of texts on a page, and the most words.
    private static let (pageSize, maxWords) = (50, 30)

    var routes: [PageRoute] {
        [
            PageRoute(
                "/meetings/{id}/results/{key}", get: { try await view(MeetingContext($0)) },
                post: { try await TextActions.apply($0, orShow: view) })
        ]
    }

    private func view(
        _ host: MeetingContext, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        let page = host.page
        let key = MeetingPages.pathSafe(page.parameter("key"))
        let results = try await host.reader.results(of: host.details)
        guard let result = results.questions.first(where: { $0.key == key && $0.kind == "text" }) else {
            throw PageError.notFound
        }
        let texts = page.texts
        let isHidden = page.query["hidden"] == "true"
        let search = page.query["q"].flatMap(\.nonEmpty)
        var model = TextsPage(
            title: result.title, meetingTitle: host.meeting.title,
            answered: texts.answers(result.answered), alert: alert, meetingPath: host.path,
            seriesPath: host.seriesPath, path: "\(host.path)/results/\(key)", address: host.address, key: key,
            canEdit: host.canEdit, isHidden: isHidden, isReleased: result.released == true, search: search,
            undoAction: TextActions.undoAction(for: page)?.action)

        let query = PathQuery([("limit", "\(Self.pageSize)")] + (isHidden ? [("hidden", "true")] : []))
            .with("q", search)
        let cursor = page.query["cursor"].flatMap(\.nonEmpty)
        let answersPath = host.source + "/results/\(key)/answers"
        var answer = try await page.send(
            .get, answersPath + query.with("cursor", cursor).text, as: host.authorization)
        if answer.status == .unprocessableContent, cursor != nil {
            // The cursor is invalid, because the list has changed since it was returned.
            model.alert = alert ?? texts("charts.list-changed")
            answer = try await page.send(.get, answersPath + query.text, as: host.authorization)
        }
        switch answer.status {
        case .ok: break
        case .conflict:
            model.laterNotice = texts("charts.texts-later")
            return page.page(model, status: status)
        case .unprocessableContent:
            model.alert = texts("charts.search-too-long")
            return page.page(model, status: answer.status)
        default: try host.session.check(answer)
        }
        var list = TextsPage.List(
            try answer.decoded(), path: model.path, search: search, isHidden: isHidden, cursor: cursor,
            time: { host.clock.text($0, in: page.language) })
        if !isHidden { list.words = try await words(host, key, model.path) }
        if list.isEmpty, let search {
            list.notFoundNotice = texts(isHidden ? "charts.not-found-hidden" : "charts.not-found", ["search": search])
        }
        model.list = list
        return page.page(model, status: status)
    }

    /// The most frequent words, each with a link that searches for the word.
    private func words(_ host: MeetingContext, _ key: String, _ path: String) async throws -> TextsPage.Words? {
        let answer = try await host.page.send(
            .get, "\(host.source)/results/\(key)/terms?limit=\(Self.maxWords)", as: host.authorization)
        guard answer.status == .ok else { return nil }
        let terms: Terms = try answer.decoded()
        guard !terms.items.isEmpty else { return nil }
        return .init(
            items: terms.items.map { term in
                .init(term: term.term, count: term.answers, href: path + PathQuery([("q", term.term)]).text)
            },
            sampledNotice: terms.sampled
                ? host.page.texts(
                    "charts.words-sampled", ["read": "\(terms.answers)", "total": "\(terms.total)"]) : nil)
    }
}
