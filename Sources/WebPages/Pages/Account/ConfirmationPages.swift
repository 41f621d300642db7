import Contract
import HTTPAPI
import HTTPTypes
import HummingbirdCore
import StrictJSON

/// The API refuses a change until the host confirms the session with the password.
struct ConfirmationRequired: Error {
    /// Nil for any other response.
    init?(_ response: InnerAPI.CollectedResponse) {
        guard response.status == .forbidden, response.problem?.code == "reauthentication-required" else { return nil }
    }
}

/// Asks signed-in hosts for their password, and then continues the interrupted request.
///
/// The page contains the fields of the interrupted form. Once the password is confirmed, a redirect with 307 makes the
/// browser send them to the form's own page again, so that nothing has to be typed twice.
struct ConfirmationPages: Sendable {
    /// Not `password`, because an interrupted form may have a field of that name.
    private static let passwordField = "own-password"
    /// The field whose presence requests that the interrupted form is sent again.
    private static let resubmitField = "resubmit"
    private static let ownFields: Set = [CSRFGuard.field, passwordField, resubmitField, "username"]

    var routes: [PageRoute] {
        [
            PageRoute(
                "/confirm", get: { try await Self.view(HostSession($0), next: Self.next($0)) }, post: confirm)
        ]
    }

    /// The page that asks for the password, in place of the response to `page`. A form without files is sent again
    /// afterwards.
    static func view(interrupting page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let next = HostSession.localPath(page.path + (page.request.uri.query.map { "?" + $0 } ?? ""))
        // Only a form without files can be sent again. Other pages are opened again by a redirect.
        guard page.method == .post, page.files.isEmpty else {
            return .redirect(to: "/confirm" + PathQuery().with("next", next).text)
        }
        return try await view(session, next: next, isResubmitted: true, status: .forbidden)
    }

    private static func view(
        _ session: HostSession, next: String, isResubmitted: Bool = false, alert: String? = nil, fault: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = session.page
        let fields = isResubmitted ? page.fields.pairs(excluding: ownFields) : []
        let model = ConfirmPage(
            title: page.texts("confirm.title"), alert: alert, path: "/confirm" + PathQuery().with("next", next).text,
            isResubmitted: isResubmitted, fields: fields.map { .init(name: $0.name, value: $0.value) },
            address: try await session.reader().email, fault: fault, back: next)
        return page.page(model, status: status)
    }

    private static func next(_ page: PageRequest) -> String { HostSession.localPath(page.query["next"]) }

    private func confirm(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let next = Self.next(page)
        // A form is sent again only to the page that it came from, never to another one.
        let isResubmitted = page.fields[Self.resubmitField] != nil && next == page.query["next"]
        guard CSRFGuard.admits(page) else {
            return try await Self.view(
                session, next: next, isResubmitted: isResubmitted, alert: page.texts("form.open-too-long"),
                status: .forbidden)
        }
        let body = SessionConfirmation(password: page.fields[Self.passwordField] ?? "")
        let response = try await page.send(
            .put, "/v1/sessions/current", as: session.authorization, json: JSONValue(encoding: body))
        switch response.status {
        case .unprocessableContent:
            let fault = response.problem?.errors?.first.map { page.texts.fault($0) }
            return try await Self.view(
                session, next: next, isResubmitted: isResubmitted, fault: fault, status: response.status)
        case .tooManyRequests:
            return try await Self.view(
                session, next: next, isResubmitted: isResubmitted, alert: page.sentence(PageError(response)),
                status: response.status)
        default:
            try session.check(response)
            page.newCookies.append(HostSession.cookie(of: try response.decoded()))
            guard isResubmitted else { return .redirect(to: next) }
            return PageResponse(status: .temporaryRedirect, headers: [.location: next])
        }
    }
}

/// Asks for the password of the signed-in account.
struct ConfirmPage: PageModel {
    /// A field of the interrupted form.
    struct Field: TemplateValues {
        var name: String
        var value: String
    }

    static let template = "confirm"
    var title: String
    var alert: String?
    /// The path that the form is sent to.
    var path: String
    /// Whether the interrupted form is sent again after the confirmation.
    var isResubmitted: Bool
    var fields: [Field]
    /// The account's address, for password managers.
    var address: String
    var fault: String?
    /// The page to return to without a confirmation.
    var back: String
}
