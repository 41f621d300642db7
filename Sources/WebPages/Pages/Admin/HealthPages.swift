import Contract
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import NIOCore
import Store
import StrictJSON

/// How the service is: whether it can work, what it counts, and what its database takes.
struct HealthPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/admin/health", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        try await AdminPages.requireAdmin(visit)
        let isReady = await kit.store.isReady()
        let document: JSONValue = try await page.ask(.get, "/openapi.json").decoded()
        let totals = kit.api.requestTotals
        var values = AdminPages.head("health", page)
        values["isReady"] = isReady
        values["why"] = isReady ? "" : page.texts("problem.database-unavailable")
        let facts: [(String, String)] = [
            ("program", ProgramVersion.current), ("version", document["info"]?["version"]?.string ?? ""),
            ("address", kit.options.publicURL),
            ("requests", Self.whole(totals.requests)), ("errors", Self.whole(totals.errors)),
            ("refused", Self.whole(totals.refused)), ("mean", totals.meanDuration.map(Self.milliseconds) ?? "–"),
            ("viewers", Self.whole(kit.api.viewers)), ("waiting", Self.whole(kit.store.submissions.depth)),
        ]
        values["facts"] = facts.map { ["what": page.texts("admin.fact-\($0.0)"), "count": $0.1] }
        values["storage"] = try await storage(visit).map { storage in
            StorageCard(storage: storage, texts: page.texts, time: page.time).values
        }
        return page.page("admin-health", values)
    }

    /// Nil while the database does not tell, such as when a table is being rewritten: the rest is worth showing then.
    private func storage(_ visit: HostSession) async throws -> Contract.Storage? {
        let answer = try await visit.page.ask(.get, "/v1/admin/storage", as: visit.authorization)
        if answer.status == .serviceUnavailable { return nil }
        try visit.check(answer)
        return try answer.decoded()
    }

    static func whole(_ count: Int) -> String { count.formatted(.number.locale(Locale(identifier: "en"))) }

    static func milliseconds(_ duration: Duration) -> String {
        let format = FloatingPointFormatStyle<Double>.number.precision(.fractionLength(1))
        return (duration / .milliseconds(1)).formatted(format.locale(Locale(identifier: "en"))) + " ms"
    }
}
