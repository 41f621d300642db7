import Contract
import HTTPTypes

/// The results of a meeting for people with the link of a share.
struct SharePages: Sendable {
    private let rendered = RenderedPages<ResultsPage.Contents>()

    var routes: [PageRoute] { [PageRoute("/r/{token}", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let token = page.safeParameter("token")
        let source = "/v1/shares/\(token)"
        let shared: SharedMeeting = try await page.get(source)
        let response = try await page.send(.get, source + "/results")
        guard response.status == .ok else { throw PageError(response) }
        let until = page.texts("results.until", ["time": page.time(shared.expiresAt)])
        let contents = ResultsPage.Contents(
            source: source + "/results", response, title: shared.title, subtitle: "\(shared.series) · \(until)")
        return try await rendered.results(contents, at: "/r/\(token)", for: page, from: response) { results in
            ResultsQuestions(results: results, source: source + "/results", page: page)
        }
    }
}
