import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// Who did what.
struct AuditPages: Sendable {
    private static let filters = ["account", "subject", "act", "from", "to"]

    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/admin/audit", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostVisit(page)
        let answer = try await page.ask(
            .get, "/v1/admin/audit" + page.asked(Self.filters + ["cursor"]).text, as: visit.authorization)
        let faults = answer.problem?.errors ?? []
        let isRefused = [.badRequest, .unprocessableContent].contains(answer.status) && !faults.isEmpty
        if !isRefused { try visit.check(answer) }
        let list = isRefused ? Page<AuditEntry>(items: [], next: nil) : try answer.decoded()
        let names = try await names(list.items, visit)
        var values = AdminPages.head("audit", page)
        values["search"] = Self.filters.map { name in
            var field = PageField(
                name: name, label: page.texts("admin.audit-\(name)"), value: page.query[name] ?? "",
                hint: page.texts("admin.audit-\(name)-hint"), faults: page.say(faults, at: "?\(name)"), maxLength: 200)
            if name == "from" || name == "to" { field.type = "date" }
            return field.values
        }
        values["isEmpty"] = list.items.isEmpty && !isRefused
        values["hasEntries"] = !list.items.isEmpty
        values["next"] = page.nextPage(list.next, keeping: Self.filters)
        values["entries"] = list.items.map { entry -> [String: Any] in
            [
                "at": page.time(entry.at), "who": names["\(entry.accountId)"] ?? "\(entry.accountId)",
                "account": "\(entry.accountId)", "act": entry.act, "subject": "\(entry.subjectId)",
                "detail": entry.detail.map { $0.isNull ? "" : $0.text } ?? "",
            ]
        }
        return page.page("admin-audit", values, status: isRefused ? answer.status : .ok)
    }

    /// Whose ids these are; of an account that is gone there is no name.
    private func names(_ entries: [AuditEntry], _ visit: HostVisit) async throws -> [String: String] {
        var names: [String: String] = [:]
        for id in Set(entries.map { "\($0.accountId)" }) {
            let answer = try await visit.page.ask(.get, "/v1/admin/accounts/\(id)", as: visit.authorization)
            if answer.status == .ok { names[id] = try answer.decoded(AdminAccount.self).name }
        }
        return names
    }
}
