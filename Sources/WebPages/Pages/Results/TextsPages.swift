import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import NIOCore
import StrictJSON

/// All that was written to one question: searched, page by page, with its most frequent words.
struct TextsPages: Sendable {
    private static let (shown, words) = (50, 30)

    let kit: PageKit

    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/results/{key}", get: { try await view(MeetingContext($0)) }, post: act)]
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
        let path = "\(host.path)/results/\(key)"
        let isHidden = page.query["hidden"] == "true"
        let search = page.query["q"].flatMap { $0.isEmpty ? nil : $0 }
        var values = host.head
        values["title"] = result.title
        values["meetingTitle"] = host.meeting.title
        values["key"] = key
        values["path"] = path
        values["alert"] = alert
        values["search"] = search
        values["isHidden"] = isHidden
        values["isReleased"] = result.released == true
        values["answered"] = texts(
            result.answered == 1 ? "results.one-answer" : "results.answers", ["count": "\(result.answered)"])
        if let done = TextActs.done(page) { values["undo"] = ["act": done.act] }

        var query = PathQuery([("limit", "\(Self.shown)")] + (isHidden ? [("hidden", "true")] : []))
        if let search { query.add("q", search) }
        let begun = page.query["cursor"].flatMap { $0.isEmpty ? nil : $0 }
        let list = host.source + "/results/\(key)/answers"
        var answer = try await page.ask(
            .get, list + query.with("cursor", begun).text, as: host.authorization)
        if answer.status == .unprocessableContent, begun != nil {
            // The list is another one by now, and begins anew.
            values["alert"] = alert ?? texts("charts.list-changed")
            answer = try await page.ask(.get, list + query.text, as: host.authorization)
        }
        switch answer.status {
        case .ok: break
        case .conflict:
            values["notice"] = texts("charts.texts-later")
            return page.page("host-texts", values, status: status)
        case .unprocessableContent:
            values["alert"] = texts("charts.search-too-long")
            return page.page("host-texts", values, status: answer.status)
        default: try host.visit.check(answer)
        }
        let found = TextList(
            try JSONValue.parse(Array(answer.bytes.readableBytesView)), path: path, search: search,
            isHidden: isHidden, time: { host.clock.text($0, in: page.language) })
        values.merge(found.values) { _, new in new }
        values["isOnward"] = begun != nil
        if found.isEmpty, let search {
            values["notFound"] = texts(
                isHidden ? "charts.not-found-hidden" : "charts.not-found", ["search": search])
        }
        if !isHidden { values["words"] = try await words(host, key, path) }
        return page.page("host-texts", values, status: status)
    }

    /// The most frequent words, each of which leads to its search.
    private func words(_ host: MeetingContext, _ key: String, _ path: String) async throws -> [String: Any]? {
        let answer = try await host.page.ask(
            .get, "\(host.source)/results/\(key)/terms?limit=\(Self.words)", as: host.authorization)
        guard answer.status == .ok else { return nil }
        let terms: Terms = try answer.decoded()
        guard !terms.items.isEmpty else { return nil }
        var values: [String: Any] = [
            "items": terms.items.map { term in
                ["term": term.term, "count": term.answers, "href": path + PathQuery([("q", term.term)]).text]
            }
        ]
        if terms.sampled {
            values["sampled"] = host.page.texts(
                "charts.words-sampled", ["read": "\(terms.answers)", "total": "\(terms.of)"])
        }
        return values
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
