import Contract
import Domain
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
            canEdit: context.canEdit, isHidden: isHidden, isReleasable: isText,
            isStarred: page.query["starred"] == "true",
            tag: page.query["tag"].flatMap(\.nonEmpty), isSingle: page.query["single"] == "true",
            isReleased: result.released == true, search: search,
            undoAction: TextAction.undoAction(for: page)?.action)

        let selection = HostReader.TextSelection(
            search: search, isHidden: isHidden, isGrouped: !model.isSingle, isStarred: model.isStarred, tag: model.tag)
        var cursor = page.query["cursor"].flatMap(\.nonEmpty)
        let found: HostReader.TextList
        do {
            do {
                found = try await texts(of: key, context, selection, after: cursor)
            } catch let problem as Problem where problem.code == .validationFailed && cursor != nil {
                // Either the cursor or the search is invalid. If the first page fails too, the search is invalid.
                model.alert = alert ?? strings("charts.list-changed")
                cursor = nil
                found = try await texts(of: key, context, selection, after: nil)
            }
        } catch let problem as Problem {
            switch problem.code {
            case .resultsWithheld:
                model.laterNotice = strings("charts.texts-later")
                return page.page(model, status: status)
            case .answersDeleted:
                model.laterNotice = context.answersDeletedNotice ?? strings("problem.answers-deleted")
                return page.page(model, status: status)
            case .validationFailed:
                model.alert = strings("charts.search-too-long")
                return page.page(model, status: .unprocessableContent)
            default: throw problem
            }
        }
        var list = TextsPage.List(
            found, path: model.path, selection, cursor: cursor, strings,
            time: { context.clock.text($0, in: page.language) })
        if !isHidden {
            let counts = try await context.reader.markCounts(of: key, in: context.details)
            model.markChips = TextsPage.MarkChips(counts, path: model.path, selection, strings)
            list.words = try await words(context, key, model.path)
        }
        if list.isEmpty, let search {
            list.notFoundNotice = strings(isHidden ? "charts.not-found-hidden" : "charts.not-found", ["search": search])
        }
        model.list = list
        return page.page(model, status: status)
    }

    private func texts(
        of key: String, _ context: MeetingContext, _ selection: HostReader.TextSelection, after cursor: String?
    ) async throws -> HostReader.TextList {
        try await context.reader.texts(
            of: key, in: context.details, selection, after: cursor, limit: Self.pageSize)
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
