import Contract
import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import Store
import StrictJSON

/// Shows admins whether the service is ready, its counters, the last backup, the free space of its disks, and the storage
/// of its database.
struct HealthPages: Sendable {
    var routes: [PageRoute] { [PageRoute("/admin/health", get: show)] }

    private func show(_ page: PageRequest) async throws -> PageResponse {
        let session = try HostSession(page)
        try await AdminPages.requireAdmin(session)
        let isReady = await page.kit.store.isReady()
        let document: JSONValue = try await page.send(.get, "/openapi.json").decoded()
        let totals = page.kit.api.requestTotals
        func formatted(_ count: Int) -> String { Self.formatted(count, in: page.language) }
        let facts: [(String, String)] = [
            ("program", ProgramVersion.current), ("version", document["info"]?["version"]?.string ?? ""),
            ("address", page.kit.options.publicURL),
            ("requests", formatted(totals.requests)), ("errors", formatted(totals.errors)),
            ("refused", formatted(totals.refused)),
            ("mean", totals.meanDuration.map { Self.milliseconds($0, in: page.language) } ?? "–"),
            ("viewers", formatted(page.kit.api.viewers)),
            ("waiting", formatted(page.kit.store.submissions.depth)),
        ]
        let heading = AdminHeading("health", page)
        return page.page(
            HealthPage(
                title: heading.title, heading: heading,
                problem: isReady ? nil : page.texts("problem.database-unavailable"),
                facts: facts.map { Fact(label: page.texts("admin.fact-\($0.0)"), value: $0.1) },
                backup: await backup(page), disks: await disks(page),
                reachableCommand: page.kit.options.reachableCommand, script: page.kit.files.address("once.js"),
                storage: try await storage(session).map { StorageCard($0, page.texts, time: page.time) }))
    }

    /// Nil if the database can't be reached.
    private func backup(_ page: PageRequest) async -> BackupCard? {
        let last: LastBackup?
        do { last = try await LastBackup.read(page.kit.store) } catch { return nil }
        let state = BackupState(last, now: Date())
        let options = page.kit.options
        return BackupCard(
            state, program: options.program, dataFolder: options.dataFolder, page.texts, time: page.time)
    }

    private func disks(_ page: PageRequest) async -> DiskCard {
        let disks = await MonitoredDisk.read(
            data: page.kit.options.dataFolder, postgres: page.kit.store.postgresFolder)
        return DiskCard(disks, page.texts)
    }

    /// Nil if the database can't report its storage at the moment, for example while a table is being rewritten.
    private func storage(_ session: HostSession) async throws -> Contract.Storage? {
        let response = try await session.page.send(.get, "/v1/admin/storage", as: session.authorization)
        if response.status == .serviceUnavailable { return nil }
        try session.check(response)
        return try response.decoded()
    }

    static func formatted(_ count: Int, in language: Language) -> String {
        count.formatted(.number.locale(language.locale))
    }

    static func milliseconds(_ duration: Duration, in language: Language) -> String {
        let format = FloatingPointFormatStyle<Double>.number.precision(.fractionLength(1))
        return (duration / .milliseconds(1)).formatted(format.locale(language.locale)) + " ms"
    }
}

/// The readiness, counters, backups, disks and storage of the service.
struct HealthPage: PageModel {
    static let template = "admin-health"
    var title: String
    var heading: AdminHeading
    /// Why the service is not ready.
    var problem: String?
    var facts: [Fact]
    /// Nil if the database can't be reached.
    var backup: BackupCard?
    var disks: DiskCard
    /// The command with which phones can open the service's address; nil if they can already.
    var reachableCommand: String?
    var script: String
    var storage: StorageCard?
}
