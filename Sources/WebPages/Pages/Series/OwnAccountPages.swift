import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// One's own account: who one is, the password, sessions, tokens, everything that is stored, and the way out.
struct OwnAccountPages: Sendable {
    static let scopes = ["meetings:read", "meetings:write", "results:read", "export:read", "admin"]

    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/account", get: { try await view(HostSession($0)) }, post: act),
            PageRoute("/account/data", get: { try await $0.relay("/v1/me/data", as: HostSession($0).authorization) }),
        ]
    }

    private func view(_ visit: HostSession, _ refusal: FormError? = nil, made: APIToken? = nil) async throws
        -> PageAnswer
    {
        let (page, texts) = (visit.page, visit.page.texts)
        let answer = try await page.ask(.get, "/v1/me", as: visit.authorization)
        try visit.check(answer)
        let profile: Profile = try answer.decoded()
        let place = LocalTime(profile.timeZone)
        func time(_ date: Date) -> String { place.text(date, in: page.language) }
        let sessions: Page<SessionSummary> = try await visit.get("/v1/sessions?limit=50")
        let tokens: Page<APIToken> = try await visit.get("/v1/tokens?limit=200")
        let locale = page.fields["locale"] ?? profile.locale ?? ""
        let known = [("", texts("own.language-none"))] + Language.allCases.map { ($0.rawValue, $0.name) }
        let others = known.contains { $0.0 == locale } ? [] : [(locale, locale)]
        var values: [String: Any] = [
            "title": texts("own.title"), "address": profile.email, "tag": answer.headers[.eTag] ?? "",
            "name": page.fields["name"] ?? profile.name, "timeZone": page.fields["timeZone"] ?? profile.timeZone ?? "",
            "locales": (known + others).map { ["value": $0.0, "label": $0.1, "chosen": $0.0 == locale] },
            "savedZone": profile.timeZone ?? "",
            "zoneSaved": profile.timeZone.map { texts("own.zone-saved", ["zone": $0]) } ?? texts("own.zone-none"),
            "zones": TimeZone.knownTimeZoneIdentifiers.map { ["name": $0] },
            "sessions": sessions.items.map { session -> [String: Any] in
                [
                    "id": "\(session.id)", "isCurrent": session.current,
                    "text": texts("own.session", ["time": time(session.createdAt), "until": time(session.expiresAt)]),
                ]
            },
            "tokens": tokens.items.map { token -> [String: Any] in
                [
                    "id": "\(token.id)", "name": token.name, "scopes": token.scopes.joined(separator: ", "),
                    "ends": texts("own.token-ends", ["time": time(token.expiresAt)]),
                ]
            },
            "tokenName": refusal == nil ? "" : page.fields["token-name"] ?? "", "key": SubmitToken.make(),
            "scopeChoices": Self.scopes.filter { $0 != "admin" || profile.role == "admin" }.map { scope in
                [
                    "value": scope, "label": texts("own.scope-\(scope.replacing(":", with: "-"))"),
                    "chosen": page.fields.values("scope").contains(scope),
                ]
            },
            "periods": ValidFor.choices([7, 30, 90, 365], proposed: 90, page),
            "heir": page.fields["heir"] ?? "", "isLeaving": page.fields["act"] == "leave",
            "confirmText": texts("own.confirm", ["email": profile.email]), "script": kit.files.address("once.js"),
            "zoneScript": kit.files.address("zone.js"),
        ]
        values["made"] = made?.token.map { ["url": $0, "text": texts("own.token-made")] }
        if var refusal {
            // The name of a token is not one's own.
            if page.fields["act"] == "token", let fault = refusal.faults.removeValue(forKey: "name") {
                refusal.faults["tokenName"] = fault
            }
            refusal.add(to: &values)
        }
        return page.page("own-account", values, status: refusal?.status ?? .ok)
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        let words = (page.fields["act"] ?? "").split(separator: ":").map { PageRequest.word(String($0)) }
        do {
            try visit.checkOrigin()
            switch (words.first, words.count) {
            case ("profile", 1):
                try await saveProfile(visit)
                return page.done("saved", at: "/account")
            case ("password", 1):
                let members = [("password", "new"), ("oldPassword", "old")]
                try await visit.send(
                    .patch, "/v1/me", .object(members.map { .init($0, .string(page.fields[$1] ?? "")) }),
                    headers: [.ifMatch: page.fields["tag"] ?? ""])
                return page.done("password-changed", at: "/account")
            case ("session", 2):
                try await visit.send(.delete, "/v1/sessions/\(words[1])")
                return page.done("session-ended", at: "/account")
            case ("revoke", 2):
                try await visit.send(.delete, "/v1/tokens/\(words[1])")
                return page.done("token-revoked", at: "/account")
            case ("token", 1): return try await makeToken(visit)
            case ("leave", 1): return try await leave(visit)
            default: throw PageError(.badRequest)
            }
        } catch let refusal as FormError {
            return try await view(visit, refusal)
        }
    }

    private func saveProfile(_ visit: HostSession) async throws {
        let page = visit.page
        func typed(_ name: String) -> JSONValue {
            let text = (page.fields[name] ?? "").trimmingCharacters(in: .whitespaces)
            return text.isEmpty ? .null : .string(text)
        }
        let body = JSONValue.object([
            .init("name", .string(page.fields["name"] ?? "")), .init("locale", typed("locale")),
            .init("timeZone", typed("timeZone")),
        ])
        try await visit.send(.patch, "/v1/me", body, headers: [.ifMatch: page.fields["tag"] ?? ""])
        if let language = Language(rawValue: page.fields["locale"] ?? "") {
            page.newCookies.append(Cookie(name: .lang, value: language.rawValue, path: "/", life: Cookie.year))
        }
    }

    private func makeToken(_ visit: HostSession) async throws -> PageAnswer {
        let page = visit.page
        var members: [JSONValue.Member] = [
            .init("name", .string(page.fields["token-name"] ?? "")),
            .init("scopes", .array(page.fields.values("scope").map { .string($0) })),
        ]
        if let end = ValidFor.end(page) { members.append(.init("expiresAt", .string(RFC3339.format(end)))) }
        let answer = try await visit.send(
            .post, "/v1/tokens", .object(members), headers: [.idempotencyKey: SubmitToken.given(page)])
        return try await view(visit, made: answer.decoded())
    }

    /// Whoever means it types their own address.
    private func leave(_ visit: HostSession) async throws -> PageAnswer {
        let page = visit.page
        let profile: Profile = try await visit.get("/v1/me")
        let typed = (page.fields["confirm"] ?? "").trimmingCharacters(in: .whitespaces)
        guard typed.lowercased() == profile.email.lowercased() else {
            throw FormError(
                status: .unprocessableContent, alert: page.texts("refused.look-again"),
                faults: ["confirm": page.texts("own.not-yours")])
        }
        let heir = (page.fields["heir"] ?? "").trimmingCharacters(in: .whitespaces)
        try await visit.send(.delete, "/v1/me", .object(heir.isEmpty ? [] : [.init("heir", .string(heir))]))
        page.newCookies.append(Cookie(name: HostSession.cookie, value: "", path: "/", life: 0))
        page.bar = nil
        return page.page("message", ["title": page.texts("own.gone"), "text": page.texts("own.gone-text")])
    }
}
