import Contract
import HTTPTypes
import StrictJSON

/// The sign-in and the sign-out.
struct SessionPages: Sendable {
    var routes: [PageRoute] {
        [
            PageRoute("/sign-in", get: { show($0) }, post: signIn),
            PageRoute("/sign-out", post: signOut),
        ]
    }

    private func show(
        _ page: PageRequest, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) -> PageResponse {
        page.page(
            SignInPage(
                title: page.texts("sign-in.title"), alert: alert, email: page.fields["email"] ?? "",
                next: HostSession.localPath(page.fields["next"] ?? page.query["next"]),
                allowsSignUp: page.kit.options.allowsSignUp), status: status)
    }

    private func signIn(_ page: PageRequest) async throws -> PageResponse {
        guard CSRFGuard.admits(page) else {
            return show(page, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let request = SessionRequest(email: page.fields["email"] ?? "", password: page.fields["password"] ?? "")
        let response = try await page.send(.post, "/v1/sessions", json: JSONValue(encoding: request))
        guard response.status == .created || response.status == .ok else {
            let error = PageError(response)
            // An invalid address belongs to no account, so the message is the same as for unknown credentials.
            let isUnknown = response.status == .unprocessableContent
            return show(
                page, alert: isUnknown ? page.texts("problem.invalid-credentials") : page.sentence(error),
                status: error.status)
        }
        page.newCookies.append(HostSession.cookie(of: try response.decoded()))
        // The new session replaces the browser's previous session.
        try await endSession(page)
        return .redirect(to: HostSession.localPath(page.fields["next"]))
    }

    private func signOut(_ page: PageRequest) async throws -> PageResponse {
        guard CSRFGuard.admits(page) else { return page.done("still-signed-in", at: "/home") }
        try await endSession(page)
        page.newCookies.append(Cookie(name: HostSession.cookie, value: "", path: "/", maxAge: 0))
        var response = page.done("signed-out", at: "/sign-in")
        // Browsers may have cached pages that they revalidate, such as results. Cookies and storage are not cleared,
        // because they belong to participants.
        response.headers[.clearSiteData] = "\"cache\""
        return response
    }

    /// Ends the session of the browser's cookie.
    private func endSession(_ page: PageRequest) async throws {
        guard let token = page.cookies[HostSession.cookie], !token.isEmpty else { return }
        _ = try await page.send(.delete, "/v1/sessions/current", as: "Bearer \(token)")
    }
}

extension HTTPField.Name {
    // The name is a valid token, so the initializer never returns nil.
    fileprivate static let clearSiteData = HTTPField.Name("Clear-Site-Data")!
}

struct SignInPage: PageModel {
    static let template = "sign-in"
    var title: String
    var alert: String?
    var email: String
    /// The path to open after the sign-in.
    var next: String
    /// Whether an account can be created without an invitation.
    var allowsSignUp: Bool
}
