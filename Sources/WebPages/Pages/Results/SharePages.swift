import Contract
import HTTPTypes

/// The results of a meeting for people with the link of a share.
struct SharePages: Sendable {
    private let rendered = RenderedPages<ResultsPage.Contents>()

    var routes: [PageRoute] {
        [
            PageRoute("/r/{token}", get: show),
            PageRoute(
                "/r/{token}/live", get: { try await $0.relayChanges(Self.source($0) + "/live") }, isStreamed: true),
        ]
    }

    /// The share's path in the API.
    private static func source(_ page: PageRequest) -> String { "/v1/shares/\(page.safeParameter("token"))" }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let source = Self.source(page)
        let shared: SharedMeeting = try await page.get(source)
        let response = try await page.send(.get, source + "/results")
        guard response.status == .ok else { throw PageError(response) }
        let until = page.texts("results.until", ["time": page.time(shared.expiresAt)])
        let path = "/r/\(page.safeParameter("token"))"
        let contents = ResultsPage.Contents(
            source: source + "/results", response, title: shared.title, subtitle: "\(shared.series) · \(until)",
            live: path + "/live")
        return try await rendered.results(contents, at: path, for: page, from: response) { results in
            ResultsQuestions(
                results: results, texts: page.texts, released: ReleasedTexts(page: page, source: source + "/results"))
        }
    }
}
