import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Accounts: found, made admins, shut out and let in again; and a person taken out of everything.
struct AccountAdministration: Sendable {
    private static let filters = ["q", "state"]
    private static let states = ["active", "disabled", "deleted"]

    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/admin/accounts", get: show, post: act)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer { try await view(HostSession(page)) }

    private func view(
        _ visit: HostSession, alert: String? = nil, erasureFaults: [ProblemBody.FaultBody] = [], erased: Erasure? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> PageAnswer {
        let page = visit.page
        let list: Page<AdminAccount> = try await visit.get(
            "/v1/admin/accounts" + page.asked(Self.filters + ["cursor"]).text)
        var values = AdminPages.head("accounts", page, alert: alert)
        values["search"] = search(page).map(\.values.templateContext)
        let isOnlyAdmin = try await isOnlyAdmin(among: list.items, visit)
        values["accounts"] = list.items.map { account($0, isOnlyAdmin: isOnlyAdmin, page) }
        values["isEmpty"] = list.items.isEmpty
        values["next"] = page.nextPage(list.next, keeping: Self.filters)
        values["erasure"] = erasure(page, erasureFaults).map(\.values.templateContext)
        values["isErasing"] = !erasureFaults.isEmpty || page.fields["act"] == "erase" && alert != nil
        if let erased {
            values["erased"] = erased.erased.filter { $0.value > 0 }.sorted { $0.key < $1.key }
                .map { ["what": page.texts.find("audit-detail.\($0.key)") ?? $0.key, "count": $0.value] }
            values["hasErased"] = true
        }
        return page.page("admin-accounts", values, status: status)
    }

    private func search(_ page: PageRequest) -> [PageField] {
        let all = [("", page.texts("admin.state-all"))] + Self.states.map { ($0, page.texts("admin.state-\($0)")) }
        return [
            PageField(name: "q", label: page.texts("admin.search"), value: page.query["q"] ?? "", maxLength: 200),
            PageField(
                name: "state", label: page.texts("admin.state"), value: page.query["state"] ?? "", kind: .choice(all)),
        ]
    }

    /// Whether nobody else could take back that this admin gave it up; asked only where they stand on the page.
    private func isOnlyAdmin(among shown: [AdminAccount], _ visit: HostSession) async throws -> Bool {
        guard let own = visit.page.bar?.accountID, shown.contains(where: { $0.id == own }) else { return true }
        let all: Page<AdminAccount> = try await visit.get("/v1/admin/accounts?state=active&limit=200")
        return !all.items.contains { $0.role == "admin" && $0.id != own }
    }

    private func account(_ account: AdminAccount, isOnlyAdmin: Bool, _ page: PageRequest) -> [String: Any] {
        let state = account.deletedAt != nil ? "deleted" : account.disabledAt != nil ? "disabled" : "active"
        let isOwn = page.bar?.accountID == account.id
        var acts: [String] = []
        if state != "deleted", !(isOwn && isOnlyAdmin) { acts.append(account.role == "admin" ? "host" : "admin") }
        // Whoever shut themselves out could not take it back.
        if state != "deleted", !isOwn { acts.append(state == "disabled" ? "enable" : "disable") }
        return [
            "id": "\(account.id)", "name": account.name, "email": account.email,
            "role": page.texts("admin.role-\(account.role)"), "state": page.texts("admin.state-\(state)"),
            "isOff": state != "active", "since": page.time(account.createdAt),
            "acts": acts.map {
                [
                    "press": "\($0):\(account.id)",
                    "words": page.texts("admin.make-\($0)\(isOwn && $0 == "host" ? "-own" : "")"),
                ]
            },
        ]
    }

    private func erasure(_ page: PageRequest, _ faults: [ProblemBody.FaultBody]) -> [PageField] {
        ["email", "heir"].map { name in
            PageField(
                name: name, label: page.texts("admin.erase-\(name)"), value: page.fields[name] ?? "",
                inputMode: "email", hint: name == "heir" ? page.texts("admin.erase-heir-hint") : "",
                faults: page.say(faults, at: "/\(name)"), maxLength: 254)
        } + [
            PageField(
                name: "sure", label: page.texts("admin.erase-sure"), value: page.fields["sure"] ?? "", kind: .tick,
                faults: page.say(faults, at: "/sure"))
        ]
    }

    private func act(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        guard CSRFGuard.admits(page) else {
            return try await view(visit, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let words = (page.fields["act"] ?? "").split(separator: ":").map(String.init)
        if words == ["erase"] { return try await erase(visit) }
        let edits = [
            "admin": AdminAccountEdit(role: "admin"), "host": AdminAccountEdit(role: "host"),
            "disable": AdminAccountEdit(disabled: true), "enable": AdminAccountEdit(disabled: false),
        ]
        guard words.count == 2, let edit = edits[words[0]] else { throw PageError(.badRequest) }
        let path = "/v1/admin/accounts/" + MeetingPages.word(words[1])
        let known = try await page.ask(.get, path, as: visit.authorization)
        try visit.check(known)
        let answer = try await page.ask(
            .patch, path, as: visit.authorization, json: try JSONValue(encoding: edit),
            headers: [.ifMatch: known.headers[.eTag] ?? ""])
        if answer.status == .conflict {
            return try await view(visit, alert: page.texts("admin.last-admin"), status: .conflict)
        }
        try visit.check(answer)
        return page.done("saved", at: page.path + page.asked(Self.filters).text)
    }

    private func erase(_ visit: HostSession) async throws -> PageAnswer {
        let page = visit.page
        guard page.fields["sure"] != nil else {
            let fault = ProblemBody.FaultBody(
                pointer: "/sure", code: "not-sure", detail: page.texts("admin.erase-not-sure"))
            return try await view(visit, erasureFaults: [fault], status: .unprocessableContent)
        }
        func typed(_ name: String) -> String {
            (page.fields[name] ?? "").trimmingCharacters(in: .whitespaces)
        }
        let heir = typed("heir")
        let answer = try await page.ask(
            .post, "/v1/admin/erasures", as: visit.authorization,
            json: try JSONValue(encoding: ErasureRequest(email: typed("email"), heir: heir.isEmpty ? nil : heir)))
        switch answer.status {
        case .ok: return try await view(visit, erased: try answer.decoded())
        case .unprocessableContent, .conflict, .notFound:
            let faults = answer.problem?.errors ?? []
            return try await view(
                visit, alert: faults.isEmpty ? page.sentence(PageError(answer)) : page.texts("builder.look-again"),
                erasureFaults: faults, status: answer.status)
        default:
            try visit.check(answer)
            throw PageError(answer)
        }
    }
}
