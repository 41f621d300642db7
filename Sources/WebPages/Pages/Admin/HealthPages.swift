import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import NIOCore
import StrictJSON

/// How the service is: whether it can work, what it counts, and what its database takes.
struct HealthPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/admin/health", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostSession(page)
        try await AdminPages.requireAdmin(visit)
        let ready = try await page.ask(.get, "/readyz")
        let told = try await page.ask(.get, "/metrics", headers: [.accept: "text/plain"])
        let metrics = MetricReading(String(buffer: told.bytes))
        let document: JSONValue = try await page.ask(.get, "/openapi.json").decoded()
        var values = AdminPages.head("health", page)
        values["isReady"] = ready.status == .ok
        values["why"] = ready.problem?.detail ?? ready.problem?.title ?? ""
        let requests = metrics.sum("http_requests_total")
        let facts: [(String, String)] = [
            ("program", ProgramVersion.current), ("version", document["info"]?["version"]?.string ?? ""),
            ("address", kit.options.publicURL),
            ("requests", metrics.whole(requests)),
            ("errors", metrics.whole(metrics.sum("http_requests_total") { $0["status"]?.hasPrefix("5") == true })),
            ("refused", metrics.whole(metrics.sum("http_requests_total") { $0["status"] == "429" })),
            ("mean", Self.milliseconds(metrics)),
            ("viewers", metrics.whole(metrics.sum("live_viewers"))),
            ("waiting", metrics.whole(metrics.sum("intake_waiting"))),
        ]
        values["facts"] = facts.map { ["what": page.texts("admin.fact-\($0.0)"), "count": $0.1] }
        values["storage"] = try await storage(visit).map { storage in
            StorageCard(storage: storage, texts: page.texts, time: page.time).values
        }
        return page.page("admin-health", values)
    }

    /// Nil while the database does not tell, such as when a table is being rewritten: the rest is worth showing then.
    private func storage(_ visit: HostSession) async throws -> Storage? {
        let answer = try await visit.page.ask(.get, "/v1/admin/storage", as: visit.authorization)
        if answer.status == .serviceUnavailable { return nil }
        try visit.check(answer)
        return try answer.decoded()
    }

    private static func milliseconds(_ metrics: MetricReading) -> String {
        let count = metrics.sum("http_request_duration_seconds_count")
        guard count > 0 else { return "–" }
        let mean = metrics.sum("http_request_duration_seconds_sum") / count * 1000
        return mean.formatted(.number.precision(.fractionLength(1)).locale(Locale(identifier: "en"))) + " ms"
    }
}
