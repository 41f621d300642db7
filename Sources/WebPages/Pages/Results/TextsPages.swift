import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import NIOCore
import StrictJSON

/// The text answers to one question: searchable, page by page, with the most frequent words.
struct TextsPages: Sendable {
    private static let (shown, words) = (50, 30)

    let kit: PageKit

    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/results/{key}", get: { try await view(MeetingContext($0)) }, post: apply)]
    }

    private func view(
        _ host: MeetingContext, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        let page = host.page
        let key = MeetingPages.word(page.parameter("key"))
        let results = try await host.reader.results(of: host.details)
        guard let result = results.questions.first(where: { $0.key == key && $0.kind == "text" }) else {
            throw PageError.notFound
        }
        let texts = page.texts
        let isHidden = page.query["hidden"] == "true"
        let search = page.query["q"].flatMap(\.nonEmpty)
        var model = TextsPage(
            title: result.title, meetingTitle: host.meeting.title,
            answered: texts(
                result.answered == 1 ? "results.one-answer" : "results.answers", ["count": "\(result.answered)"]),
            alert: alert, meeting: host.path, seriesPath: host.seriesPath, path: "\(host.path)/results/\(key)",
            address: host.address, key: key, canEdit: host.canEdit, isHidden: isHidden,
            isReleased: result.released == true, search: search, undo: TextActions.done(page)?.action)

        var query = PathQuery([("limit", "\(Self.shown)")] + (isHidden ? [("hidden", "true")] : []))
        if let search { query.add("q", search) }
        let cursor = page.query["cursor"].flatMap(\.nonEmpty)
        let list = host.source + "/results/\(key)/answers"
        var answer = try await page.send(
            .get, list + query.with("cursor", cursor).text, as: host.authorization)
        if answer.status == .unprocessableContent, cursor != nil {
            // The list has changed since, so the cursor is invalid.
            model.alert = alert ?? texts("charts.list-changed")
            answer = try await page.send(.get, list + query.text, as: host.authorization)
        }
        switch answer.status {
        case .ok: break
        case .conflict:
            model.later = texts("charts.texts-later")
            return page.page(model, status: status)
        case .unprocessableContent:
            model.alert = texts("charts.search-too-long")
            return page.page(model, status: answer.status)
        default: try host.session.check(answer)
        }
        let found = TextList(
            try JSONValue.parse(Array(answer.bytes.readableBytesView)), path: model.path, search: search,
            isHidden: isHidden, time: { host.clock.text($0, in: page.language) })
        model.list = .init(
            isEmpty: found.isEmpty, texts: found.texts, isPartial: found.isPartial,
            start: cursor == nil ? nil : found.start, onward: found.next,
            words: isHidden ? nil : try await words(host, key, model.path))
        if found.isEmpty, let search {
            model.list?.notFound = texts(
                isHidden ? "charts.not-found-hidden" : "charts.not-found", ["search": search])
        }
        return page.page(model, status: status)
    }

    /// Links each of the most frequent words to a search for it.
    private func words(_ host: MeetingContext, _ key: String, _ path: String) async throws -> TextsPage.Words? {
        let answer = try await host.page.send(
            .get, "\(host.source)/results/\(key)/terms?limit=\(Self.words)", as: host.authorization)
        guard answer.status == .ok else { return nil }
        let terms: Terms = try answer.decoded()
        guard !terms.items.isEmpty else { return nil }
        return .init(
            items: terms.items.map { term in
                .init(term: term.term, count: term.answers, href: path + PathQuery([("q", term.term)]).text)
            },
            sampled: terms.sampled
                ? host.page.texts(
                    "charts.words-sampled", ["read": "\(terms.answers)", "total": "\(terms.of)"]) : nil)
    }

    private func apply(_ page: PageRequest) async throws -> PageAnswer {
        let host = try await MeetingContext(page)
        guard CSRFGuard.admits(page) else {
            return try await view(host, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        switch try await TextActions.perform(host) {
        case .done(let answer): return answer
        case .refused(let error):
            return try await view(host, alert: page.sentence(error), status: error.status)
        }
    }
}
