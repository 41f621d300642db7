import Contract
import Domain
import HTTPAPI
import HTTPTypes
import HummingbirdCore

/// The front page with a field for the code that is on the screen of the room, and where a poster leads.
struct EntrancePages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [PageRoute("/", get: home), PageRoute("/s/{code}", get: poster)]
    }

    private func home(_ page: PageRequest) async throws -> PageAnswer {
        guard let typed = page.query["code"] else { return page.page("home") }
        // As people type it: with spaces and hyphens, in capitals.
        let code = typed.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard !code.isEmpty else { return page.page("home", ["fault": page.texts("home.no-code"), "code": typed]) }
        let answer = try await page.ask(.get, "/v1/forms/\(code)")
        switch answer.status {
        case .ok: return .redirect(to: "/f/\(try answer.decoded(PublicForm.self).code)")
        case .notFound:
            return page.page("home", ["fault": page.texts("home.unknown-code"), "code": typed], status: .notFound)
        default: throw PageError(answer)
        }
    }

    private func poster(_ page: PageRequest) async throws -> PageAnswer {
        let response = try await page.kit.api.relay(page.path, for: page, as: nil)
        // Programs read the API's own answer; people who come to nothing get a page that says so.
        guard page.wantsPage, response.status.kind != .redirection else { return PageAnswer(relayed: response) }
        throw PageError(response.status, code: response.status == .notFound ? "not-found" : nil)
    }
}

extension PageError {
    /// Why the store refused a reading.
    init(_ problem: Problem) {
        self.init(
            HTTPResponse.Status(code: problem.code.status), code: problem.code.rawValue, detail: problem.sentence)
        if [429, 503].contains(problem.code.status) { retryAfter = String(problem.retryAfter ?? 1) }
    }

    /// What the API said.
    init(_ answer: InnerAPI.Answer) {
        let problem = answer.problem
        self.init(answer.status, code: problem?.code, detail: problem?.detail)
        retryAfter = answer.headers[.retryAfter]
    }
}
