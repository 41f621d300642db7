import Contract
import HTTPTypes
import StrictJSON

/// In and out.
struct SessionPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/sign-in", get: { show($0) }, post: signIn),
            PageRoute("/sign-out", post: signOut),
        ]
    }

    private func show(
        _ page: PageRequest, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) -> PageAnswer {
        var values: [String: Any] = [
            "title": page.texts("sign-in.title"), "email": page.fields["email"] ?? "",
            "next": HostSession.ownPath(page.fields["next"] ?? page.query["next"]),
        ]
        values["alert"] = alert
        return page.page("sign-in", values, status: status)
    }

    private func signIn(_ page: PageRequest) async throws -> PageAnswer {
        guard CSRFGuard.admits(page) else {
            return show(page, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let body = JSONValue.object([
            .init("email", .string(page.fields["email"] ?? "")),
            .init("password", .string(page.fields["password"] ?? "")),
        ])
        let answer = try await page.ask(.post, "/v1/sessions", json: body)
        guard answer.status == .created || answer.status == .ok else {
            let trouble = PageError(answer)
            // What is no address belongs to nobody.
            let isUnknown = answer.status == .unprocessableContent
            return show(
                page, alert: isUnknown ? page.texts("problem.invalid-credentials") : page.sentence(trouble),
                status: trouble.status)
        }
        let session: Session = try answer.decoded()
        page.newCookies.append(HostSession.cookie(of: session))
        return .redirect(to: HostSession.ownPath(page.fields["next"]))
    }

    private func signOut(_ page: PageRequest) async throws -> PageAnswer {
        guard CSRFGuard.admits(page) else { return page.done("still-signed-in", at: "/home") }
        if let token = page.cookies[HostSession.cookie] {
            _ = try await page.ask(.delete, "/v1/sessions/current", as: "Bearer \(token)")
        }
        page.newCookies.append(Cookie(name: HostSession.cookie, value: "", path: "/", life: 0))
        return page.done("signed-out", at: "/sign-in")
    }
}
