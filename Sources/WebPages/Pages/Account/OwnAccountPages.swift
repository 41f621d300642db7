import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Shows and changes a host's own account: the profile, the password, sessions and API tokens. Hosts can also download
/// their data and delete the account.
struct OwnAccountPages: Sendable {
    /// The scopes that a token can have.
    static let scopes = ["meetings:read", "meetings:write", "results:read", "export:read", "admin"]

    var routes: [PageRoute] {
        [
            PageRoute("/account", get: { try await view(HostSession($0)) }, post: apply),
            PageRoute("/account/data", get: { try await $0.relay("/v1/me/data", as: HostSession($0).authorization) }),
        ]
    }

    private func view(
        _ session: HostSession, _ error: FormError? = nil, created: APIToken? = nil
    ) async throws -> PageResponse {
        let (profile, tag) = try await session.getTagged("/v1/me", Profile.self)
        let sessions: Page<SessionSummary> = try await session.get("/v1/sessions?limit=50")
        let tokens: Page<APIToken> = try await session.get("/v1/tokens?limit=200")
        let model = OwnAccountPage(
            session.page, profile, tag: tag, sessions: sessions.items, tokens: tokens.items, error, created: created)
        return session.page.page(model, status: error?.status ?? .ok)
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        let parts = (page.fields["act"] ?? "").split(separator: ":").map { PageRequest.pathSafe(String($0)) }
        do {
            try session.checkCSRF()
            switch (parts.first, parts.count) {
            case ("profile", 1):
                try await saveProfile(session)
                return page.done("saved", at: "/account")
            case ("mails", 1):
                let members = [("mailsAtClose", "at-close"), ("weeklyDigest", "weekly")]
                try await session.send(
                    .patch, "/v1/me", .object(members.map { .init($0, .bool(page.fields[$1] != nil)) }),
                    headers: [.ifMatch: page.fields["tag"] ?? ""])
                return page.done("saved", at: "/account")
            case ("password", 1):
                let members = [("password", "new"), ("oldPassword", "old")]
                try await session.send(
                    .patch, "/v1/me", .object(members.map { .init($0, .string(page.fields[$1] ?? "")) }),
                    headers: [.ifMatch: page.fields["tag"] ?? ""])
                try await replaceToken(session)
                return page.done("password-changed", at: "/account")
            case ("session", 2):
                try await session.send(.delete, "/v1/sessions/\(parts[1])")
                return page.done("session-ended", at: "/account")
            case ("revoke", 2):
                try await session.send(.delete, "/v1/tokens/\(parts[1])")
                return page.done("token-revoked", at: "/account")
            case ("token", 1): return try await createToken(session)
            case ("leave", 1): return try await deleteAccount(session)
            default: throw PageError(.badRequest)
            }
        } catch let error as FormError {
            return try await view(session, error)
        }
    }

    /// Replaces the session's token after a change of the password. If that fails, the session keeps its old token.
    private func replaceToken(_ session: HostSession) async throws {
        let body = SessionConfirmation(password: session.page.fields["new"] ?? "")
        let response = try await session.page.send(
            .put, "/v1/sessions/current", as: session.authorization, json: JSONValue(encoding: body))
        guard response.status == .ok else { return }
        session.page.newCookies.append(HostSession.cookie(of: try response.decoded()))
    }

    private func saveProfile(_ session: HostSession) async throws {
        let page = session.page
        func typed(_ name: String) -> JSONValue {
            let text = (page.fields[name] ?? "").trimmingCharacters(in: .whitespaces)
            return text.isEmpty ? .null : .string(text)
        }
        let body = JSONValue.object([
            .init("name", .string(page.fields["name"] ?? "")), .init("locale", typed("locale")),
            .init("timeZone", typed("timeZone")),
        ])
        try await session.send(.patch, "/v1/me", body, headers: [.ifMatch: page.fields["tag"] ?? ""])
        if let language = Language(rawValue: page.fields["locale"] ?? "") {
            page.newCookies.append(Cookie(name: .lang, value: language.rawValue, path: "/", maxAge: Cookie.year))
        }
    }

    private func createToken(_ session: HostSession) async throws -> PageResponse {
        let page = session.page
        var members: [JSONValue.Member] = [
            .init("name", .string(page.fields["token-name"] ?? "")),
            .init("scopes", .array(page.fields.values("scope").map { .string($0) })),
        ]
        if let end = ValidityPeriod.end(page) { members.append(.init("expiresAt", .string(RFC3339.format(end)))) }
        let response = try await session.send(
            .post, "/v1/tokens", .object(members), headers: [.idempotencyKey: SubmitToken.given(page.fields)])
        return try await view(session, created: response.decoded())
    }

    /// Deletes the account if the host has typed the account's address.
    private func deleteAccount(_ session: HostSession) async throws -> PageResponse {
        let page = session.page
        let profile: Profile = try await session.get("/v1/me")
        let typed = (page.fields["confirm"] ?? "").trimmingCharacters(in: .whitespaces)
        guard typed.lowercased() == profile.email.lowercased() else {
            throw FormError(
                status: .unprocessableContent, alert: page.texts("refused.look-again"),
                faults: ["confirm": page.texts("own.not-yours")])
        }
        let heir = (page.fields["heir"] ?? "").trimmingCharacters(in: .whitespaces)
        try await session.send(.delete, "/v1/me", .object(heir.isEmpty ? [] : [.init("heir", .string(heir))]))
        page.newCookies.append(Cookie(name: HostSession.cookie, value: "", path: "/", maxAge: 0))
        page.bar = nil
        return page.page(MessagePage(title: page.texts("own.gone"), text: page.texts("own.gone-text")))
    }
}
