import Contract
import Foundation
import HTTPTypes

/// Results by a link that a host has given away: they end with it.
struct SharePages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/r/{token}", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let token = page.parameter("token").filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
        let source = "/v1/shares/\(token)"
        let found = try await page.ask(.get, source)
        guard found.status == .ok else { throw PageError(found) }
        let shared: SharedMeeting = try found.decoded()
        let answer = try await page.ask(.get, source + "/results")
        guard answer.status == .ok else { throw PageError(answer) }
        let until = page.texts("results.until", ["time": page.time(shared.expiresAt)])
        let head: [String: Any] = ["title": shared.title, "subtitle": "\(shared.series) · \(until)"]
        return page.page(
            "results",
            try await ResultsPage(results: try answer.decoded(), source: source + "/results", page: page).values(
                head: head))
    }
}
