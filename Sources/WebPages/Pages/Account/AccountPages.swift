import Contract
import HTTPTypes
import StrictJSON

/// The pages that mails about an account lead to: confirmation of an address, a new password, sign-up by invitation.
struct AccountPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] {
        [
            PageRoute("/sign-up", get: { signUp($0, signedIn: try await signedIn($0)) }, post: register),
            PageRoute("/verify", get: { confirm($0) }, post: verify),
            PageRoute("/forgot", get: { forgot($0) }, post: remind),
            PageRoute("/reset", get: { choose($0) }, post: reset),
        ]
    }

    // MARK: An account

    /// Whether the link is of an invitation for one address, which confirms that address. Only then the sign-up asks for
    /// a password.
    private func isForAddress(_ page: PageRequest) -> Bool {
        page.query["invitation"] != nil && page.query["email"] != nil
    }

    /// - Parameter signedIn: A warning for a visitor who is signed in.
    private func signUp(
        _ page: PageRequest, faults: [ProblemBody.FaultBody] = [], alert: String? = nil, signedIn: String? = nil
    ) -> PageAnswer {
        let isInvited = page.query["invitation"] != nil
        let isNeeded = needsInvitation && !isInvited
        let text: String? = isNeeded ? "invited.needed" : isInvited && !isForAddress(page) ? "invited.text-open" : nil
        return view(
            page, isInvited ? "invited" : "sign-up",
            ["name", "email"] + (isForAddress(page) ? ["password"] : []) + ["invitation"],
            text: text, faults: faults, alert: alert, warning: signedIn, needed: isNeeded ? "invitation" : nil,
            given: ["invitation": page.query["invitation"] ?? "", "email": page.query["email"] ?? ""])
    }

    private var needsInvitation: Bool { !kit.options.allowsSignUp }

    /// Empty if no invitation is needed.
    private var missingInvitation: [ProblemBody.FaultBody] {
        guard needsInvitation else { return [] }
        return [.init(pointer: "/invitation", code: "invitation-needed", detail: "An invitation is needed.")]
    }

    /// The warning that the new account's session replaces this one; nil without a session.
    private func signedIn(_ page: PageRequest) async throws -> String? {
        guard let token = page.cookies[HostSession.cookie], !token.isEmpty else { return nil }
        let answer = try await page.send(.get, "/v1/sessions/current", as: "Bearer \(token)")
        guard answer.status == .ok else { return nil }
        return page.texts("invited.signed-in", ["name": try answer.decoded(CurrentSession.self).account.name])
    }

    private func register(_ page: PageRequest) async throws -> PageAnswer {
        guard CSRFGuard.admits(page) else { return signUp(page, alert: page.texts("form.open-too-long")) }
        // The request validates the password; the verification sets it.
        var members = (["name", "email"] + (isForAddress(page) ? ["password"] : [])).map { name in
            JSONValue.Member(name, .string(page.fields[name] ?? ""))
        }
        let code = page.fields["invitation"] ?? ""
        if !code.isEmpty { members.append(.init("invitation", .string(code))) }
        let answer = try await page.send(.post, "/v1/accounts", json: .object(members))
        do {
            return try await registered(answer, code, page)
        } catch let error as PageError {
            return signUp(page, alert: page.sentence(error))
        }
    }

    private func registered(
        _ answer: InnerAPI.Answer, _ code: String, _ page: PageRequest
    ) async throws -> PageAnswer {
        switch answer.status {
        case .accepted:
            if !code.isEmpty, let next = try await accept(code, page) { return next }
            // An invitation for this address sends no mail. It was used by a concurrent request, it was withdrawn, or the
            // address has an account.
            guard code.isEmpty || page.query["email"] == nil else { return try await settled(page) }
            return done(page, "sign-up", next: code.isEmpty ? nil : "/sign-in")
        case .forbidden where code.isEmpty:
            return signUp(page, faults: missingInvitation, alert: page.texts("form.look-again"))
        case .forbidden:
            return try await enter(page) ?? signUp(page, alert: page.texts("invited.unknown"))
        case .unprocessableContent:
            let faults = (answer.problem?.errors ?? []) + (code.isEmpty ? missingInvitation : [])
            return signUp(page, faults: faults, alert: page.texts("form.look-again"))
        default: throw PageError(answer)
        }
    }

    /// An invitation for this address confirms it: with a password the account is created and signed in, and a typed code
    /// leads to the page where a password is chosen. Nil for any other invitation, which needs a mail.
    private func accept(_ code: String, _ page: PageRequest) async throws -> PageAnswer? {
        let verified = try await verify(code, page)
        if verified.status == .created { return try await enter(page) ?? page.done("verified", at: "/sign-in") }
        // After any other failure than a used or withdrawn invitation the form can be sent again.
        guard verified.status == .unprocessableContent else { throw PageError(verified) }
        guard !isForAddress(page), verified.problem?.errors?.map(\.pointer) == ["/password"] else { return nil }
        return .redirect(to: "/verify?token=\(PathQuery.encode(code))")
    }

    private func verify(_ token: String, _ page: PageRequest) async throws -> InnerAPI.Answer {
        let members = [("token", token), ("password", page.fields["password"] ?? "")].map { name, value in
            JSONValue.Member(name, .string(value))
        }
        return try await page.send(.post, "/v1/accounts/verification", json: .object(members))
    }

    /// Signs in with the typed address and password and ends the session before it; nil if the password is wrong.
    ///
    /// An existing session of the same account is kept: of two concurrent responses a browser may keep only the first
    /// cookie.
    private func enter(_ page: PageRequest) async throws -> PageAnswer? {
        guard page.fields["password"]?.isEmpty == false else { return nil }
        let members = ["email", "password"].map { JSONValue.Member($0, .string(page.fields[$0] ?? "")) }
        let answer = try await page.send(.post, "/v1/sessions", json: .object(members))
        if answer.status == .unauthorized { return nil }
        guard answer.status == .created else { throw PageError(answer) }
        let session: Session = try answer.decoded()
        let welcome = page.done("welcome", ["name": session.account.name], at: "/home")
        if let old = page.cookies[HostSession.cookie], !old.isEmpty {
            let known = try await page.send(.get, "/v1/sessions/current", as: "Bearer \(old)")
            let isSame = try known.status == .ok && known.decoded(CurrentSession.self).account.id == session.account.id
            let ended = isSame ? session.token : old
            _ = try await page.send(.delete, "/v1/sessions/current", as: "Bearer \(ended)")
            if isSame { return welcome }
        }
        page.newCookies.append(HostSession.cookie(of: session))
        return welcome
    }

    private func settled(_ page: PageRequest) async throws -> PageAnswer {
        if let welcome = try await enter(page) { return welcome }
        return page.page(
            MessagePage(
                title: page.texts("invited.settled"), text: page.texts("invited.settled-text"), signIn: "/sign-in"))
    }

    // MARK: A confirmed address

    /// Scanners of mail open links, so only the button confirms the address.
    private func confirm(
        _ page: PageRequest, faults: [ProblemBody.FaultBody] = [], alert: String? = nil
    ) -> PageAnswer {
        view(
            page, "verify", ["token", "password"], faults: faults, alert: alert,
            given: ["token": page.query["token"] ?? ""])
    }

    private func verify(_ page: PageRequest) async throws -> PageAnswer {
        guard CSRFGuard.admits(page) else { return confirm(page, alert: page.texts("form.open-too-long")) }
        let answer = try await verify(page.fields["token"] ?? "", page)
        switch answer.status {
        case .created: return done(page, "verify", next: "/sign-in")
        case .unprocessableContent:
            let faults = answer.problem?.errors ?? []
            let isUnknown = faults.contains { $0.pointer == "/token" }
            return confirm(page, faults: faults, alert: isUnknown ? page.texts("verify.unknown") : nil)
        default: return confirm(page, alert: page.sentence(PageError(answer)))
        }
    }

    // MARK: A new password

    private func forgot(
        _ page: PageRequest, faults: [ProblemBody.FaultBody] = [], alert: String? = nil
    ) -> PageAnswer {
        guard let unmailed = kit.unmailed(page.texts, "forgot") else {
            return view(page, "forgot", ["email"], faults: faults, alert: alert)
        }
        return page.page(MessagePage(title: page.texts("forgot.title"), text: unmailed, signIn: "/sign-in"))
    }

    private func remind(_ page: PageRequest) async throws -> PageAnswer {
        // Without mail nobody gets the link.
        guard kit.options.sendsMail else { return forgot(page) }
        guard CSRFGuard.admits(page) else { return forgot(page, alert: page.texts("form.open-too-long")) }
        let body = JSONValue.object([.init("email", .string(page.fields["email"] ?? ""))])
        let answer = try await page.send(.post, "/v1/password-resets", json: body)
        switch answer.status {
        case .accepted: return done(page, "forgot")
        case .unprocessableContent: return forgot(page, faults: answer.problem?.errors ?? [])
        default: return forgot(page, alert: page.sentence(PageError(answer)))
        }
    }

    private func choose(
        _ page: PageRequest, faults: [ProblemBody.FaultBody] = [], alert: String? = nil
    ) -> PageAnswer {
        view(
            page, "reset", ["token", "password"], faults: faults, alert: alert,
            given: ["token": page.query["token"] ?? ""])
    }

    private func reset(_ page: PageRequest) async throws -> PageAnswer {
        guard CSRFGuard.admits(page) else { return choose(page, alert: page.texts("form.open-too-long")) }
        let token = (page.fields["token"] ?? "").filter {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0))
        }
        guard !token.isEmpty else { return choose(page, alert: page.texts("reset.unknown")) }
        let body = JSONValue.object([.init("password", .string(page.fields["password"] ?? ""))])
        let answer = try await page.send(.put, "/v1/password-resets/\(token)", json: body)
        switch answer.status {
        case .noContent: return done(page, "reset", next: "/sign-in")
        case .notFound: return choose(page, alert: page.texts("reset.unknown"))
        case .unprocessableContent: return choose(page, faults: answer.problem?.errors ?? [])
        default: return choose(page, alert: page.sentence(PageError(answer)))
        }
    }

    // MARK: Both

    private func view(
        _ page: PageRequest, _ name: String, _ fields: [String], text: String? = nil,
        faults: [ProblemBody.FaultBody] = [], alert: String? = nil, warning: String? = nil, needed: String? = nil,
        given: [String: String] = [:]
    ) -> PageAnswer {
        let isRefused = alert != nil || !faults.isEmpty
        let model = AccountFormPage(
            title: page.texts("\(name).title"), text: page.texts(text ?? "\(name).text"),
            warning: warning ?? kit.unmailed(page.texts, name), alert: alert,
            path: page.path + page.query.passedOn(["invitation", "email"]),
            fields: fields.map { field in
                AccountFormPage.Field(
                    field, isRequired: field == needed, given: given[field]?.nonEmpty,
                    fault: faults.first { $0.pointer == "/\(field)" }?.participantText(page.texts), page)
            }, send: page.texts("\(name).send"))
        return page.page(model, status: isRefused ? .unprocessableContent : .ok)
    }

    /// - Parameter next: The address of the next step.
    private func done(_ page: PageRequest, _ name: String, next: String? = nil) -> PageAnswer {
        let unmailed = kit.unmailed(page.texts, name)
        let title = page.texts(unmailed == nil ? "\(name).done" : "unmailed.title")
        return page.page(MessagePage(title: title, text: unmailed ?? page.texts("\(name).next"), signIn: next))
    }
}
