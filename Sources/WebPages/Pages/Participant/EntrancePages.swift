import Contract
import HTTPTypes
import HummingbirdCore

/// The front page, which has a field for a form's code, and the address to which posters lead.
struct EntrancePages: Sendable {
    var routes: [PageRoute] {
        [PageRoute("/", get: home), PageRoute("/s/{code}", get: poster)]
    }

    private func home(_ page: PageRequest) async throws -> PageResponse {
        guard let typed = page.query["code"] else { return page.page(FrontPage()) }
        // People also type spaces, hyphens and capital letters.
        let code = typed.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard !code.isEmpty else { return page.page(FrontPage(fault: page.texts("home.no-code"), code: typed)) }
        let response = try await page.send(.get, "/v1/forms/\(code)")
        switch response.status {
        case .ok: return .redirect(to: "/f/\(try response.decoded(PublicForm.self).code)")
        case .notFound:
            return page.page(
                FrontPage(fault: page.texts("home.unknown-code"), code: typed), status: .notFound)
        default: throw PageError(response)
        }
    }

    private func poster(_ page: PageRequest) async throws -> PageResponse {
        let response = try await page.kit.api.relay(page.path, for: page, as: nil)
        // Redirects, and all responses to programs, are passed on. Browsers get errors as a page.
        guard page.wantsPage, response.status.kind != .redirection else { return PageResponse(relayed: response) }
        throw PageError(response.status, code: response.status == .notFound ? "not-found" : nil)
    }
}

/// The front page for visitors.
struct FrontPage: PageModel {
    static let template = "home"
    var title = "Afterword"
    /// Why no form was found for the code.
    var fault: String?
    /// The code as typed.
    var code = ""
}
