import Contract
import HTTPTypes
import StrictJSON

/// The pages for people without a session: sign-up, with or without an invitation, the confirmation of an address, and
/// the choice of a new password.
struct AccountPages: Sendable {
    var routes: [PageRoute] {
        [
            PageRoute("/sign-up", get: { signUp($0, warning: try await signedInWarning($0)) }, post: register),
            PageRoute("/verify", get: { view($0, "verify") }, post: verify),
            PageRoute("/forgot", get: { forgot($0) }, post: sendResetLink),
            PageRoute("/reset", get: { view($0, "reset") }, post: reset),
        ]
    }

    // MARK: Sign-up

    /// Whether the page was opened through the link of an invitation for one address. The link confirms the address, so
    /// only this sign-up asks for a password.
    private func isInvitedByAddress(_ page: PageRequest) -> Bool {
        page.query["invitation"] != nil && page.query["email"] != nil
    }

    private func signUp(
        _ page: PageRequest, faults: [ProblemBody.FaultBody] = [], alert: String? = nil, warning: String? = nil
    ) -> PageResponse {
        let isInvited = page.query["invitation"] != nil
        let lacksInvitation = needsInvitation(page) && !isInvited
        let text: String? =
            lacksInvitation ? "invited.needed" : isInvited && !isInvitedByAddress(page) ? "invited.text-open" : nil
        return view(
            page, isInvited ? "invited" : "sign-up",
            ["name", "email"] + (isInvitedByAddress(page) ? ["password"] : []) + ["invitation"],
            text: text, faults: faults, alert: alert, warning: warning, needed: lacksInvitation ? "invitation" : nil,
            given: ["invitation", "email"])
    }

    private func needsInvitation(_ page: PageRequest) -> Bool { !page.kit.options.allowsSignUp }

    /// The fault of a sign-up without an invitation; empty if no invitation is needed.
    private func missingInvitationFaults(_ page: PageRequest) -> [ProblemBody.FaultBody] {
        guard needsInvitation(page) else { return [] }
        return [.init(pointer: "/invitation", code: "invitation-needed", detail: "An invitation is needed.")]
    }

    /// Warns visitors who are signed in that the new account's session replaces theirs; nil without a session.
    private func signedInWarning(_ page: PageRequest) async throws -> String? {
        guard let token = page.cookies[HostSession.cookie], !token.isEmpty else { return nil }
        let response = try await page.send(.get, "/v1/sessions/current", as: "Bearer \(token)")
        guard response.status == .ok else { return nil }
        return page.texts("invited.signed-in", ["name": try response.decoded(CurrentSession.self).account.name])
    }

    private func register(_ page: PageRequest) async throws -> PageResponse {
        guard CSRFGuard.admits(page) else { return signUp(page, alert: page.texts("form.open-too-long")) }
        // This request only validates the password. The verification sets it.
        var members = (["name", "email"] + (isInvitedByAddress(page) ? ["password"] : [])).map { name in
            JSONValue.Member(name, .string(page.fields[name] ?? ""))
        }
        let code = page.fields["invitation"] ?? ""
        if !code.isEmpty { members.append(.init("invitation", .string(code))) }
        let response = try await page.send(.post, "/v1/accounts", json: .object(members))
        do {
            return try await afterRegistration(response, code, page)
        } catch let error as PageError {
            return signUp(page, alert: page.sentence(error))
        }
    }

    private func afterRegistration(
        _ response: InnerAPI.CollectedResponse, _ code: String, _ page: PageRequest
    ) async throws -> PageResponse {
        switch response.status {
        case .accepted:
            if !code.isEmpty, let next = try await accept(code, page) { return next }
            // No mail can complete a sign-up whose invitation for one address was not accepted: a concurrent request has
            // used the invitation, it was withdrawn, or the address has an account.
            guard code.isEmpty || page.query["email"] == nil else { return try await nothingCreated(page) }
            return done(page, "sign-up", next: code.isEmpty ? nil : "/sign-in")
        case .forbidden where code.isEmpty:
            return signUp(page, faults: missingInvitationFaults(page), alert: page.texts("form.look-again"))
        case .forbidden:
            return try await signIn(page) ?? signUp(page, alert: page.texts("invited.unknown"))
        case .unprocessableContent:
            let faults = (response.problem?.errors ?? []) + (code.isEmpty ? missingInvitationFaults(page) : [])
            return signUp(page, faults: faults, alert: page.texts("form.look-again"))
        default: throw PageError(response)
        }
    }

    /// Uses an invitation for the address of the sign-up, so no mail is needed. With a password, the account is created
    /// and signed in; without one, the visitor chooses a password on another page. Nil for any other invitation.
    private func accept(_ code: String, _ page: PageRequest) async throws -> PageResponse? {
        let verified = try await verify(code, page)
        if verified.status == .created { return try await signIn(page) ?? page.done("verified", at: "/sign-in") }
        // After a failure that is not about the invitation or the password, the form can be sent again.
        guard verified.status == .unprocessableContent else { throw PageError(verified) }
        guard !isInvitedByAddress(page), verified.problem?.errors?.map(\.pointer) == ["/password"] else { return nil }
        return .redirect(to: "/verify?token=\(PathQuery.encode(code))")
    }

    private func verify(_ token: String, _ page: PageRequest) async throws -> InnerAPI.CollectedResponse {
        let request = VerificationRequest(token: token, password: page.fields["password"] ?? "")
        return try await page.send(.post, "/v1/accounts/verification", json: JSONValue(encoding: request))
    }

    /// Signs in with the typed address and password, and ends the browser's session of another account. Nil if the
    /// password is missing or wrong.
    ///
    /// If the browser has a session of the same account, that session stays and the new one ends. The form may have
    /// been sent twice, and the browser may store only the cookie of the first response.
    private func signIn(_ page: PageRequest) async throws -> PageResponse? {
        guard let password = page.fields["password"]?.nonEmpty else { return nil }
        let request = SessionRequest(email: page.fields["email"] ?? "", password: password)
        let response = try await page.send(.post, "/v1/sessions", json: JSONValue(encoding: request))
        if response.status == .unauthorized { return nil }
        guard response.status == .created else { throw PageError(response) }
        let session: Session = try response.decoded()
        let welcome = page.done("welcome", ["name": session.account.name], at: "/home")
        if let old = page.cookies[HostSession.cookie], !old.isEmpty {
            let oldResponse = try await page.send(.get, "/v1/sessions/current", as: "Bearer \(old)")
            let isSameAccount =
                try oldResponse.status == .ok
                && oldResponse.decoded(CurrentSession.self).account.id == session.account.id
            let ended = isSameAccount ? session.token : old
            _ = try await page.send(.delete, "/v1/sessions/current", as: "Bearer \(ended)")
            if isSameAccount { return welcome }
        }
        page.newCookies.append(HostSession.cookie(of: session))
        return welcome
    }

    private func nothingCreated(_ page: PageRequest) async throws -> PageResponse {
        if let welcome = try await signIn(page) { return welcome }
        return page.page(
            MessagePage(
                title: page.texts("invited.settled"), text: page.texts("invited.settled-text"), signIn: "/sign-in"))
    }

    // MARK: Confirmation of an address

    /// Confirms an address. Mail scanners open links, so opening the link only shows the form.
    private func verify(_ page: PageRequest) async throws -> PageResponse {
        guard CSRFGuard.admits(page) else { return view(page, "verify", alert: page.texts("form.open-too-long")) }
        let response = try await verify(page.fields["token"] ?? "", page)
        switch response.status {
        case .created: return done(page, "verify", next: "/sign-in")
        case .unprocessableContent:
            let faults = response.problem?.errors ?? []
            let isUnknown = faults.contains { $0.pointer == "/token" }
            return view(page, "verify", faults: faults, alert: isUnknown ? page.texts("verify.unknown") : nil)
        default: return view(page, "verify", alert: page.sentence(PageError(response)))
        }
    }

    // MARK: A new password

    private func forgot(
        _ page: PageRequest, faults: [ProblemBody.FaultBody] = [], alert: String? = nil
    ) -> PageResponse {
        guard let unmailed = page.kit.noMailNotice(page.texts, "forgot") else {
            return view(page, "forgot", ["email"], faults: faults, alert: alert)
        }
        return page.page(MessagePage(title: page.texts("forgot.title"), text: unmailed, signIn: "/sign-in"))
    }

    private func sendResetLink(_ page: PageRequest) async throws -> PageResponse {
        // If the service sends no mail, nobody would get the link.
        guard page.kit.options.sendsMail else { return forgot(page) }
        guard CSRFGuard.admits(page) else { return forgot(page, alert: page.texts("form.open-too-long")) }
        let body = JSONValue.object([.init("email", .string(page.fields["email"] ?? ""))])
        let response = try await page.send(.post, "/v1/password-resets", json: body)
        switch response.status {
        case .accepted: return done(page, "forgot")
        case .unprocessableContent: return forgot(page, faults: response.problem?.errors ?? [])
        default: return forgot(page, alert: page.sentence(PageError(response)))
        }
    }

    private func reset(_ page: PageRequest) async throws -> PageResponse {
        guard CSRFGuard.admits(page) else { return view(page, "reset", alert: page.texts("form.open-too-long")) }
        let token = PageRequest.pathSafe(page.fields["token"] ?? "")
        guard !token.isEmpty else { return view(page, "reset", alert: page.texts("reset.unknown")) }
        let body = JSONValue.object([.init("password", .string(page.fields["password"] ?? ""))])
        let response = try await page.send(.put, "/v1/password-resets/\(token)", json: body)
        switch response.status {
        case .noContent: return done(page, "reset", next: "/sign-in")
        case .notFound: return view(page, "reset", alert: page.texts("reset.unknown"))
        case .unprocessableContent: return view(page, "reset", faults: response.problem?.errors ?? [])
        default: return view(page, "reset", alert: page.sentence(PageError(response)))
        }
    }

    // MARK: All pages

    /// - Parameters:
    ///   - name: The group of the page's texts.
    ///   - needed: The field that must be filled in.
    ///   - given: The fields whose values are in the link.
    private func view(
        _ page: PageRequest, _ name: String, _ fields: [String] = ["token", "password"], text: String? = nil,
        faults: [ProblemBody.FaultBody] = [], alert: String? = nil, warning: String? = nil, needed: String? = nil,
        given: [String] = ["token"]
    ) -> PageResponse {
        let isRefused = alert != nil || !faults.isEmpty
        let model = AccountFormPage(
            title: page.texts("\(name).title"), text: page.texts(text ?? "\(name).text"),
            warning: warning ?? page.kit.noMailNotice(page.texts, name), alert: alert,
            path: page.path + page.query.queryString(keeping: ["invitation", "email"]),
            fields: fields.map { field in
                AccountFormPage.Field(
                    field, isRequired: field == needed,
                    given: given.contains(field) ? page.query[field]?.nonEmpty : nil,
                    fault: faults.first { $0.pointer == "/\(field)" }?.participantText(page.texts), page)
            }, send: page.texts("\(name).send"))
        return page.page(model, status: isRefused ? .unprocessableContent : .ok)
    }

    /// The page that says what happens next.
    private func done(_ page: PageRequest, _ name: String, next: String? = nil) -> PageResponse {
        let unmailed = page.kit.noMailNotice(page.texts, name)
        let title = page.texts(unmailed == nil ? "\(name).done" : "unmailed.title")
        return page.page(MessagePage(title: title, text: unmailed ?? page.texts("\(name).next"), signIn: next))
    }
}
