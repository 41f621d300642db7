import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Searches accounts, changes their roles, disables and enables them, and erases people.
struct AccountAdministration: Sendable {
    /// The query parameters that filter the list.
    private static let filters = ["q", "state"]
    private static let states = ["active", "disabled", "deleted"]

    var routes: [PageRoute] { [PageRoute("/admin/accounts", get: { try await view(HostSession($0)) }, post: apply)] }

    private func view(
        _ session: HostSession, alert: String? = nil, erasureFaults: [ProblemBody.FaultBody] = [],
        erased: Erasure? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> PageResponse {
        let page = session.page
        let list: Page<AdminAccount> = try await session.get(
            "/v1/admin/accounts" + page.apiQuery(Self.filters + ["cursor"]).text)
        let isOnlyAdmin = try await isOnlyAdmin(among: list.items, session)
        let heading = AdminHeading("accounts", page, alert: alert)
        return page.page(
            AccountsPage(
                title: heading.title, heading: heading, search: search(page).map(\.values),
                accounts: list.items.map { AccountsPage.Account($0, isOnlyAdmin: isOnlyAdmin, page) },
                next: page.nextPage(list.next, keeping: Self.filters),
                erased: erased.map { AccountsPage.Erased($0, page.texts) },
                isErasing: !erasureFaults.isEmpty || page.fields["act"] == "erase" && alert != nil,
                erasure: erasure(page, erasureFaults).map(\.values)), status: status)
    }

    private func search(_ page: PageRequest) -> [PageField] {
        let states = [("", page.texts("admin.state-all"))] + Self.states.map { ($0, page.texts("admin.state-\($0)")) }
        return [
            PageField(name: "q", label: page.texts("admin.search"), value: page.query["q"] ?? "", maxLength: 200),
            PageField(
                name: "state", label: page.texts("admin.state"), value: page.query["state"] ?? "",
                kind: .choice(states)),
        ]
    }

    /// Whether the signed-in admin is the only admin who can sign in. True without a check if this admin is not on the
    /// page, because only the buttons beside their own account depend on the result.
    private func isOnlyAdmin(among accounts: [AdminAccount], _ session: HostSession) async throws -> Bool {
        guard let ownID = session.page.bar?.accountID, accounts.contains(where: { $0.id == ownID }) else { return true }
        let activeAccounts: Page<AdminAccount> = try await session.get("/v1/admin/accounts?state=active&limit=200")
        return !activeAccounts.items.contains { $0.role == "admin" && $0.id != ownID }
    }

    private func erasure(_ page: PageRequest, _ faults: [ProblemBody.FaultBody]) -> [PageField] {
        ["email", "heir"].map { name in
            PageField(
                name: name, label: page.texts("admin.erase-\(name)"), value: page.fields[name] ?? "",
                inputMode: "email", hint: name == "heir" ? page.texts("admin.erase-heir-hint") : "",
                faults: page.messages(for: faults, at: "/\(name)"), maxLength: 254)
        } + [
            PageField(
                name: "sure", label: page.texts("admin.erase-sure"), value: page.fields["sure"] ?? "", kind: .tick,
                faults: page.messages(for: faults, at: "/sure"))
        ]
    }

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await view(session, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let parts = (page.fields["act"] ?? "").split(separator: ":").map(String.init)
        if parts == ["erase"] { return try await erase(session) }
        let edits = [
            "admin": AdminAccountEdit(role: "admin"), "host": AdminAccountEdit(role: "host"),
            "disable": AdminAccountEdit(disabled: true), "enable": AdminAccountEdit(disabled: false),
        ]
        guard parts.count == 2, let edit = edits[parts[0]] else { throw PageError(.badRequest) }
        let path = "/v1/admin/accounts/" + PageRequest.pathSafe(parts[1])
        let (_, tag) = try await session.getTagged(path, AdminAccount.self)
        let response = try await page.send(
            .patch, path, as: session.authorization, json: JSONValue(encoding: edit), headers: [.ifMatch: tag])
        if response.status == .conflict {
            return try await view(session, alert: page.texts("admin.last-admin"), status: .conflict)
        }
        try session.check(response)
        return page.done("saved", at: page.path + page.apiQuery(Self.filters).text)
    }

    private func erase(_ session: HostSession) async throws -> PageResponse {
        let page = session.page
        guard page.fields["sure"] != nil else {
            let fault = ProblemBody.FaultBody(
                pointer: "/sure", code: "not-sure", detail: page.texts("admin.erase-not-sure"))
            return try await view(session, erasureFaults: [fault], status: .unprocessableContent)
        }
        func typed(_ name: String) -> String {
            (page.fields[name] ?? "").trimmingCharacters(in: .whitespaces)
        }
        let heir = typed("heir")
        let response = try await page.send(
            .post, "/v1/admin/erasures", as: session.authorization,
            json: try JSONValue(encoding: ErasureRequest(email: typed("email"), heir: heir.isEmpty ? nil : heir)))
        switch response.status {
        case .ok: return try await view(session, erased: try response.decoded())
        case .unprocessableContent, .conflict, .notFound:
            let faults = response.problem?.errors ?? []
            return try await view(
                session, alert: faults.isEmpty ? page.sentence(PageError(response)) : page.texts("builder.look-again"),
                erasureFaults: faults, status: response.status)
        default:
            try session.check(response)
            throw PageError(response)
        }
    }
}
