import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Who did what: found by an address, an act or days, told in words.
struct AuditPages: Sendable {
    private static let filters = ["account", "subject", "act", "from", "to"]
    /// Addresses that are proposed while one is typed.
    private static let proposed = 200

    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/admin/audit", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        try await AdminPages.requireAdmin(visit)
        let profile: Profile = try await visit.get("/v1/me")
        let clock = LocalTime(profile.timeZone)
        var accounts = AuditedNames(visit)
        let who = try await accounts.find(page.query["account"] ?? "")
        var faults: [ProblemBody.FaultBody] = []
        if who == nil {
            faults = [
                ProblemBody.FaultBody(
                    pointer: "?account", code: "unknown-account", detail: page.texts("refused.unknown-account"))
            ]
        }
        var list = Page<AuditEntry>(items: [], next: nil)
        var status = HTTPResponse.Status.unprocessableContent
        if let who {
            let answer = try await page.ask(
                .get, "/v1/admin/audit" + Self.asked(page, who, clock).text, as: visit.authorization)
            (faults, status) = (answer.problem?.errors ?? [], answer.status)
            if faults.isEmpty {
                try visit.check(answer)
                list = try answer.decoded()
            }
        }
        var values = AdminPages.head("audit", page)
        values.merge(try await search(page, &accounts, faults)) { $1 }
        values["isEmpty"] = list.items.isEmpty && faults.isEmpty
        values["hasEntries"] = !list.items.isEmpty
        values["zone"] = page.texts("admin.audit-zone", ["zone": clock.name])
        values["next"] = page.nextPage(list.next, keeping: Self.filters)
        var entries: [[String: Any]] = []
        for entry in list.items {
            entries.append(try await AuditLine(entry, page, clock).values(&accounts))
        }
        values["entries"] = entries
        return page.page("admin-audit", values, status: status)
    }

    /// Days are whole ones of the admin's own clock; the API's period ends before its end.
    private static func asked(_ page: PageRequest, _ account: String, _ clock: LocalTime) -> PathQuery {
        func moment(_ day: String?, after days: Int) -> String? {
            guard let day, !day.isEmpty else { return nil }
            let start = clock.read(day + "T00:00")
            return start.flatMap { clock.calendar.date(byAdding: .day, value: days, to: $0) }.map(RFC3339.format) ?? day
        }
        return page.asked(["subject", "act", "cursor"])
            .with("account", account.isEmpty ? nil : account)
            .with("from", moment(page.query["from"], after: 0)).with("to", moment(page.query["to"], after: 1))
    }

    private func search(
        _ page: PageRequest, _ accounts: inout AuditedNames, _ faults: [ProblemBody.FaultBody]
    ) async throws -> [String: Any] {
        let texts = page.texts
        let typed = page.query["account"] ?? ""
        var fields: [PageField] = []
        let acts = AuditAct.all.map { ($0, texts("audit-act.\($0)")) }.sorted { $0.1 < $1.1 }
        fields.append(
            PageField(
                name: "act", label: texts("admin.audit-act"), value: page.query["act"] ?? "",
                kind: .choice([("", texts("admin.audit-any"))] + acts), faults: page.say(faults, at: "?act")))
        for name in ["from", "to"] {
            fields.append(
                PageField(
                    name: name, label: texts("admin.audit-\(name)"), value: page.query[name] ?? "", type: "date",
                    faults: page.say(faults, at: "?\(name)")))
        }
        let all: Page<AdminAccount> = try await accounts.visit.get("/v1/admin/accounts?limit=\(Self.proposed)")
        var values: [String: Any] = [
            "search": fields.map(\.values.templateContext),
            "account": try await accounts.account(typed)?.email ?? typed,
            "addresses": all.items.map { ["address": $0.email] }, "subject": page.query["subject"] ?? "",
        ]
        values["accountFault"] = page.say(faults, at: "?account").first
        values["subjectFault"] = page.say(faults, at: "?subject").first
        return values
    }
}

/// What a page names by ids and keys, each asked for once.
struct AuditedNames {
    let visit: HostSession
    private var known: [String: AdminAccount?] = [:]
    private var forms: [String: [QuestionBody]] = [:]

    init(_ visit: HostSession) { self.visit = visit }

    /// Nil of what is no id, and once it is gone for good.
    mutating func account(_ id: String) async throws -> AdminAccount? {
        guard UUID(uuidString: id) != nil else { return nil }
        if let account = known[id] { return account }
        let answer = try await visit.page.ask(.get, "/v1/admin/accounts/\(id)", as: visit.authorization)
        let account: AdminAccount? = answer.status == .ok ? try answer.decoded() : nil
        known[id] = .some(account)
        return account
    }

    /// What a meeting's form asks by this key; nil where it does not any more.
    mutating func question(_ key: String, of meeting: String) async throws -> String? {
        if forms[meeting] == nil {
            let answer = try await visit.page.ask(.get, "/v1/meetings/\(meeting)/form", as: visit.authorization)
            forms[meeting] = answer.status == .ok ? try answer.decoded(Form.self).definition.questions : []
        }
        return forms[meeting]?.first { $0.key == key }?.title
    }

    /// The id of who is asked for by address or id; empty for nobody, nil where there is no such account.
    func find(_ typed: String) async throws -> String? {
        let text = typed.trimmingCharacters(in: .whitespaces)
        if text.isEmpty || UUID(uuidString: text) != nil { return text }
        let query = PathQuery([("q", String(text.prefix(200))), ("limit", "200")]).text
        let found: Page<AdminAccount> = try await visit.get("/v1/admin/accounts" + query)
        return found.items.first { $0.email.lowercased() == text.lowercased() }.map { "\($0.id)" }
    }
}
