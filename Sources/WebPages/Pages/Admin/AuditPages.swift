import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The audit trail, which can be searched by account, subject, action and days.
struct AuditPages: Sendable {
    /// The query parameters that filter the entries.
    private static let filters = ["account", "subject", "act", "from", "to"]
    /// The number of addresses that are proposed for autocompletion.
    private static let maxAddresses = 200

    var routes: [PageRoute] { [PageRoute("/admin/audit", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        try await AdminPages.requireAdmin(session)
        let profile: Profile = try await session.get("/v1/me")
        let localTime = LocalTime(profile.timeZone)
        var names = AuditedNames(session)
        let typed = page.query["account"] ?? ""
        let accountID = try await names.id(of: typed)
        var list = Page<AuditEntry>(items: [], next: nil)
        // These faults and this status apply if no account has the typed address. Otherwise the API's response replaces
        // them.
        var faults = [
            ProblemBody.FaultBody(
                pointer: "?account", code: "unknown-account", detail: page.texts("refused.unknown-account"))
        ]
        var status = HTTPResponse.Status.unprocessableContent
        if let accountID {
            let response = try await page.send(
                .get, "/v1/admin/audit" + Self.apiQuery(page, account: accountID, localTime).text,
                as: session.authorization)
            (faults, status) = (response.problem?.errors ?? [], response.status)
            if faults.isEmpty {
                try session.check(response)
                list = try response.decoded()
            }
        }
        var entries: [AuditLine.Values] = []
        for entry in list.items {
            let line = AuditLine(entry: entry, page: page, localTime: localTime)
            entries.append(try await line.values(&names))
        }
        let firstAccounts: Page<AdminAccount> = try await session.get("/v1/admin/accounts?limit=\(Self.maxAddresses)")
        let heading = AdminHeading("audit", page)
        return page.page(
            AuditPage(
                title: heading.title, heading: heading,
                account: try await names.account(typed)?.email ?? typed,
                accountFault: page.messages(for: faults, at: "?account").first,
                addresses: firstAccounts.items.map(\.email), search: search(page, faults).map(\.values),
                subjectFault: page.messages(for: faults, at: "?subject").first,
                zone: page.texts("admin.audit-zone", ["zone": localTime.name]),
                isEmpty: list.items.isEmpty && faults.isEmpty, hasEntries: !list.items.isEmpty, entries: entries,
                next: page.nextPage(list.next, keeping: Self.filters)), status: status)
    }

    /// The query for the API. Days are in the admin's time zone. The form includes its last day, but the API excludes
    /// the end of a period.
    private static func apiQuery(_ page: PageRequest, account: String, _ localTime: LocalTime) -> PathQuery {
        func instant(_ day: String?, plus days: Int) -> String? {
            guard let day, !day.isEmpty else { return nil }
            let start = localTime.parse(day + "T00:00")
            return start.flatMap { localTime.calendar.date(byAdding: .day, value: days, to: $0) }.map(RFC3339.format)
                ?? day
        }
        return page.apiQuery(["subject", "act", "cursor"])
            .with("account", account.isEmpty ? nil : account)
            .with("from", instant(page.query["from"], plus: 0)).with("to", instant(page.query["to"], plus: 1))
    }

    private func search(_ page: PageRequest, _ faults: [ProblemBody.FaultBody]) -> [PageField] {
        let texts = page.texts
        let actions = AuditActions.all.map { ($0, texts("audit-act.\($0)")) }.sorted { $0.1 < $1.1 }
        let action = PageField(
            name: "act", label: texts("admin.audit-act"), value: page.query["act"] ?? "",
            kind: .choice([("", texts("admin.audit-any"))] + actions), faults: page.messages(for: faults, at: "?act"))
        return [action]
            + ["from", "to"].map { name in
                PageField(
                    name: name, label: texts("admin.audit-\(name)"), value: page.query[name] ?? "", type: "date",
                    faults: page.messages(for: faults, at: "?\(name)"))
            }
    }
}

/// The entries of the audit trail, with the form that searches them.
struct AuditPage: PageModel {
    static let template = "admin-audit"
    var title: String
    var heading: AdminHeading
    /// The address of the account that is searched for.
    var account: String
    var accountFault: String?
    /// The addresses that are proposed for autocompletion.
    var addresses: [String]
    var search: [PageField.Values]
    var subjectFault: String?
    /// The time zone of the days and times, as a sentence.
    var zone: String
    var isEmpty: Bool
    var hasEntries: Bool
    var entries: [AuditLine.Values]
    /// The address of the list's next page.
    var next: String?
}
