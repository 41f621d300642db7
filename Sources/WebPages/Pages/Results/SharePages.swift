import Contract
import Foundation
import HTTPTypes

/// The results of a meeting for holders of a share's link.
struct SharePages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/r/{token}", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let token = page.parameter("token").filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        let source = "/v1/shares/\(token)"
        let found = try await page.send(.get, source)
        guard found.status == .ok else { throw PageError(found) }
        let shared: SharedMeeting = try found.decoded()
        let answer = try await page.send(.get, source + "/results")
        guard answer.status == .ok else { throw PageError(answer) }
        let until = page.texts("results.until", ["time": page.time(shared.expiresAt)])
        let questions = ResultsQuestions(results: try answer.decoded(), source: source + "/results", page: page)
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
    var withheld: String?
    var questions: [ResultsQuestions.Values]
    /// The address of the form.
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
