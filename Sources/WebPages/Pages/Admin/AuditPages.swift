import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The audit trail, searched by account, action and days.
struct AuditPages: Sendable {
    private static let filters = ["account", "subject", "act", "from", "to"]
    /// The number of addresses for autocompletion.
    private static let proposed = 200

    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/admin/audit", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let session = try HostSession(page)
        try await AdminPages.requireAdmin(session)
        let profile: Profile = try await session.get("/v1/me")
        let clock = LocalTime(profile.timeZone)
        var accounts = AuditedNames(session)
        let typed = page.query["account"] ?? ""
        let who = try await accounts.find(typed)
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
            let answer = try await page.send(
                .get, "/v1/admin/audit" + Self.apiQuery(page, who, clock).text, as: session.authorization)
            (faults, status) = (answer.problem?.errors ?? [], answer.status)
            if faults.isEmpty {
                try session.check(answer)
                list = try answer.decoded()
            }
        }
        var entries: [AuditLine.Values] = []
        for entry in list.items { entries.append(try await AuditLine(entry, page, clock).values(&accounts)) }
        let heading = AdminHeading("audit", page)
        return page.page(
            AuditPage(
                title: heading.title, heading: heading,
                account: try await accounts.account(typed)?.email ?? typed,
                accountFault: page.say(faults, at: "?account").first,
                addresses: try await addresses(session), search: search(page, faults).map(\.values),
                subjectFault: page.say(faults, at: "?subject").first,
                zone: page.texts("admin.audit-zone", ["zone": clock.name]),
                isEmpty: list.items.isEmpty && faults.isEmpty, hasEntries: !list.items.isEmpty, entries: entries,
                next: page.nextPage(list.next, keeping: Self.filters)), status: status)
    }

    /// Days are in the admin's time zone, and the last one is included; the API's end is exclusive.
    private static func apiQuery(_ page: PageRequest, _ account: String, _ clock: LocalTime) -> PathQuery {
        func instant(_ day: String?, after days: Int) -> String? {
            guard let day, !day.isEmpty else { return nil }
            let start = clock.read(day + "T00:00")
            return start.flatMap { clock.calendar.date(byAdding: .day, value: days, to: $0) }.map(RFC3339.format) ?? day
        }
        return page.apiQuery(["subject", "act", "cursor"])
            .with("account", account.isEmpty ? nil : account)
            .with("from", instant(page.query["from"], after: 0)).with("to", instant(page.query["to"], after: 1))
    }

    private func search(_ page: PageRequest, _ faults: [ProblemBody.FaultBody]) -> [PageField] {
        let texts = page.texts
        let actions = AuditAction.all.map { ($0, texts("audit-act.\($0)")) }.sorted { $0.1 < $1.1 }
        let action = PageField(
            name: "act", label: texts("admin.audit-act"), value: page.query["act"] ?? "",
            kind: .choice([("", texts("admin.audit-any"))] + actions), faults: page.say(faults, at: "?act"))
        return [action]
            + ["from", "to"].map { name in
                PageField(
                    name: name, label: texts("admin.audit-\(name)"), value: page.query[name] ?? "", type: "date",
                    faults: page.say(faults, at: "?\(name)"))
            }
    }

    /// Proposed while the admin types an address.
    private func addresses(_ session: HostSession) async throws -> [String] {
        let all: Page<AdminAccount> = try await session.get("/v1/admin/accounts?limit=\(Self.proposed)")
        return all.items.map(\.email)
    }
}

struct AuditPage: PageModel {
    static let template = "admin-audit"
    var title: String
    var heading: AdminHeading
    /// The account in the search.
    var account: String
    var accountFault: String?
    /// Addresses of accounts, for autocompletion.
    var addresses: [String]
    var search: [PageField.Values]
    var subjectFault: String?
    /// The time zone of the times.
    var zone: String
    var isEmpty: Bool
    var hasEntries: Bool
    var entries: [AuditLine.Values]
    /// The address of the list's next page.
    var next: String?
}
