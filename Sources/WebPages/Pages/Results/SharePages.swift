import Contract

/// The results of a meeting for people with the link of a share.
struct SharePages: Sendable {
    var routes: [PageRoute] { [PageRoute("/r/{token}", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let source = "/v1/shares/\(page.safeParameter("token"))"
        let shared: SharedMeeting = try await page.get(source)
        let results: Results = try await page.get(source + "/results")
        let until = page.texts("results.until", ["time": page.time(shared.expiresAt)])
        let questions = ResultsQuestions(results: results, source: source + "/results", page: page)
        return page.page(
            try await ResultsPage(title: shared.title, subtitle: "\(shared.series) · \(until)", of: questions))
    }
}

/// Results for people without an account.
struct ResultsPage: PageModel {
    static let template = "results"
    var title: String
    var subtitle: String?
    var submissions: String
    /// Says how many submissions the minimum group withholds. Nil if there are none.
    var withheld: String?
    var questions: [ResultsQuestions.Values]
    /// The address of the form, to which the page links.
    var back: String?
    var charts: ChartScripts?

    /// - Parameter isShut: Whether the form no longer accepts answers.
    init(
        title: String, subtitle: String? = nil, of questions: ResultsQuestions, isShut: Bool = false,
        back: String? = nil
    ) async throws {
        let (results, page) = (questions.results, questions.page)
        (self.title, self.subtitle, self.back) = (title, subtitle, back)
        submissions = ResultsQuestions.submissions(results, page)
        withheld = ResultsQuestions.withheld(results, isShut: isShut, page)
        self.questions = try await questions.parts().map(\.values)
        charts = ChartScripts(page)
    }
}
