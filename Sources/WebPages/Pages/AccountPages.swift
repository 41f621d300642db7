import Contract
import HTTPTypes
import StrictJSON

/// What the mails about one's own account lead to: a confirmed address, a new password, an account by invitation.
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

    /// Whether the link is an invitation's for one address, which proves it: only here a password is asked for before a
    /// mail was read.
    private func isForAddress(_ page: PageRequest) -> Bool {
        page.query["invitation"] != nil && page.query["email"] != nil
    }

    /// - Parameter signedIn: what to tell whoever has an account already.
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

    /// Empty where none is needed.
    private var missingInvitation: [ProblemBody.FaultBody] {
        guard needsInvitation else { return [] }
        return [.init(pointer: "/invitation", code: "invitation-needed", detail: "An invitation is needed.")]
    }

    /// That the new account takes the place of the one whose browser this is; nil where nobody is signed in.
    private func signedIn(_ page: PageRequest) async throws -> String? {
        guard let token = page.cookies[HostSession.cookie], !token.isEmpty else { return nil }
        let answer = try await page.ask(.get, "/v1/sessions/current", as: "Bearer \(token)")
        guard answer.status == .ok else { return nil }
        return page.texts("invited.signed-in", ["name": try answer.decoded(CurrentSession.self).account.name])
    }

    private func register(_ page: PageRequest) async throws -> PageAnswer {
        guard CSRFGuard.admits(page) else { return signUp(page, alert: page.texts("form.open-too-long")) }
        // The password goes along to be checked before anything is written; it is set by the verification.
        var members = (["name", "email"] + (isForAddress(page) ? ["password"] : [])).map { name in
            JSONValue.Member(name, .string(page.fields[name] ?? ""))
        }
        let code = page.fields["invitation"] ?? ""
        if !code.isEmpty { members.append(.init("invitation", .string(code))) }
        let answer = try await page.ask(.post, "/v1/accounts", json: .object(members))
        do {
            return try await registered(answer, code, page)
        } catch let trouble as PageError {
            return signUp(page, alert: page.sentence(trouble))
        }
    }

    private func registered(
        _ answer: InnerAPI.Answer, _ code: String, _ page: PageRequest
    ) async throws -> PageAnswer {
        switch answer.status {
        case .accepted:
            if !code.isEmpty, let next = try await accept(code, page) { return next }
            // Of an invitation that was made for this address no mail is left to wait for: another press was first, it
            // was withdrawn, or the address has an account.
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

    /// An invitation that was made for this address confirms it: with a password the account is made and signed in, and
    /// a code that was typed leads to where one is chosen. Nil for any other, which a mail has to confirm.
    private func accept(_ code: String, _ page: PageRequest) async throws -> PageAnswer? {
        let verified = try await verify(code, page)
        if verified.status == .created { return try await enter(page) ?? page.done("verified", at: "/sign-in") }
        // Any failure but a spent or withdrawn invitation leaves the form to be sent again.
        guard verified.status == .unprocessableContent else { throw PageError(verified) }
        guard !isForAddress(page), verified.problem?.errors?.map(\.pointer) == ["/password"] else { return nil }
        return .redirect(to: "/verify?token=\(PathQuery.encode(code))")
    }

    private func verify(_ token: String, _ page: PageRequest) async throws -> InnerAPI.Answer {
        let members = [("token", token), ("password", page.fields["password"] ?? "")].map { name, value in
            JSONValue.Member(name, .string(value))
        }
        return try await page.ask(.post, "/v1/accounts/verification", json: .object(members))
    }

    /// Signs in with what was typed, in place of whoever was signed in here before; nil where that is no account's. Throws
    /// where it could not be judged.
    ///
    /// A session of the same account goes on: a browser that was sent two answers may keep the cookie of the first only.
    private func enter(_ page: PageRequest) async throws -> PageAnswer? {
        guard page.fields["password"]?.isEmpty == false else { return nil }
        let members = ["email", "password"].map { JSONValue.Member($0, .string(page.fields[$0] ?? "")) }
        let answer = try await page.ask(.post, "/v1/sessions", json: .object(members))
        if answer.status == .unauthorized { return nil }
        guard answer.status == .created else { throw PageError(answer) }
        let session: Session = try answer.decoded()
        let welcome = page.done("welcome", ["name": session.account.name], at: "/home")
        if let old = page.cookies[HostSession.cookie], !old.isEmpty {
            let known = try await page.ask(.get, "/v1/sessions/current", as: "Bearer \(old)")
            let isSame = try known.status == .ok && known.decoded(CurrentSession.self).account.id == session.account.id
            let ended = isSame ? session.token : old
            _ = try await page.ask(.delete, "/v1/sessions/current", as: "Bearer \(ended)")
            if isSame { return welcome }
        }
        page.newCookies.append(HostSession.cookie(of: session))
        return welcome
    }

    private func settled(_ page: PageRequest) async throws -> PageAnswer {
        if let welcome = try await enter(page) { return welcome }
        return page.page(
            "message",
            [
                "title": page.texts("invited.settled"), "text": page.texts("invited.settled-text"),
                "signIn": "/sign-in",
            ])
    }

    // MARK: A confirmed address

    /// Whatever looks into mails in advance opens links; only a person presses a button.
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
        return page.page(
            "message", ["title": page.texts("forgot.title"), "text": unmailed, "signIn": "/sign-in"])
    }

    private func remind(_ page: PageRequest) async throws -> PageAnswer {
        // Without mail the link would reach nobody.
        guard kit.options.sendsMail else { return forgot(page) }
        guard CSRFGuard.admits(page) else { return forgot(page, alert: page.texts("form.open-too-long")) }
        let body = JSONValue.object([.init("email", .string(page.fields["email"] ?? ""))])
        let answer = try await page.ask(.post, "/v1/password-resets", json: body)
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
        let answer = try await page.ask(.put, "/v1/password-resets/\(token)", json: body)
        switch answer.status {
        case .noContent: return done(page, "reset", next: "/sign-in")
        case .notFound: return choose(page, alert: page.texts("reset.unknown"))
        case .unprocessableContent: return choose(page, faults: answer.problem?.errors ?? [])
        default: return choose(page, alert: page.sentence(PageError(answer)))
        }
    }

    // MARK: Both

    private static let types = ["email": "email", "password": "password"]
    private static let completions = [
        "email": "email", "password": "new-password", "name": "name", "token": "off", "invitation": "off",
    ]

    private func view(
        _ page: PageRequest, _ name: String, _ fields: [String], text: String? = nil,
        faults: [ProblemBody.FaultBody] = [], alert: String? = nil, warning: String? = nil, needed: String? = nil,
        given: [String: String] = [:]
    ) -> PageAnswer {
        let texts = page.texts
        let warning = warning ?? kit.unmailed(texts, name)
        let isRefused = alert != nil || !faults.isEmpty
        var values: [String: Any] = [
            "title": texts("\(name).title"), "text": texts(text ?? "\(name).text"), "send": texts("\(name).send"),
            "path": page.path + page.query.passedOn(["invitation", "email"]),
            "warning": warning ?? "", "isWarned": warning != nil,
            "fields": fields.map { field -> [String: Any] in
                var one: [String: Any] = [
                    "name": field, "isRequired": field == needed,
                    "label": texts(field == needed ? "account.\(field)-needed" : "account.\(field)"),
                    "type": Self.types[field] ?? "text",
                    "completion": Self.completions[field] ?? "off",
                    // A password is never sent back.
                    "value": field == "password" ? "" : page.fields[field] ?? given[field] ?? "",
                ]
                // What a link says needs no typing, and would do no good if it was changed.
                one["isHidden"] = field == "invitation" && given[field]?.isEmpty == false
                one["isFixed"] = field == "email" && given[field]?.isEmpty == false
                if field == "password" { one["hint"] = texts("account.password-hint") }
                if let fault = faults.first(where: { $0.pointer == "/\(field)" }) {
                    one["fault"] = texts.find("fault.\(fault.code)") ?? fault.detail
                }
                return one
            },
        ]
        values["alert"] = alert
        return page.page("account", values, status: isRefused ? .unprocessableContent : .ok)
    }

    /// - Parameter next: where they can go on.
    private func done(_ page: PageRequest, _ name: String, next: String? = nil) -> PageAnswer {
        let unmailed = kit.unmailed(page.texts, name)
        var values: [String: Any] = [
            "title": page.texts(unmailed == nil ? "\(name).done" : "unmailed.title"),
            "text": unmailed ?? page.texts("\(name).next"),
        ]
        values["signIn"] = next
        return page.page("message", values)
    }
}
