import Foundation
import Logging
import TestSupport
import Testing

@testable import EmbeddedPostgres

/// A data folder for one test, with access to its cluster.
struct TestCluster {
    private let parent: TemporaryFolder
    let folder: String

    init(named name: String = "data") throws {
        parent = try TemporaryFolder()
        folder = parent.path + "/" + name
    }

    func service(search: PostgresSearch = PostgresSearch(), disk: DiskSpace = DiskSpace()) -> EmbeddedPostgres {
        EmbeddedPostgres(
            folder: folder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, search: search, disk: disk)
    }

    /// Starts a service, runs `body` and stops the service, even if `body` throws.
    func withService<Result: Sendable>(
        _ body: (EmbeddedPostgres, String) async throws -> Result
    ) async throws -> Result {
        let service = service()
        let url = try await service.start()
        do {
            let result = try await body(service, url)
            await service.stop()
            return result
        } catch {
            await service.stop()
            throw error
        }
    }

    /// Starts a cluster and abandons it, as `kill -9` of the service would. Returns the postmaster's pid.
    func abandon() async throws -> Int32 {
        _ = try await service().start()
        try await eventually { try !FolderLock.isHeld(resolved()) }
        return try pid()
    }

    func pid() throws -> Int32 {
        try #require(PostmasterFile(in: resolved())).pid
    }

    func resolved() throws -> ClusterFolder {
        try #require(ClusterFolder(existing: folder))
    }

    func isRunning(_ pid: Int32) throws -> Bool {
        let file = try #require(PostmasterFile(text: "\(pid)"))
        return try PostmasterProcess.identity(of: file, for: resolved()) == .postmaster
    }

    /// Waits for an effect of another process.
    func eventually(_ condition: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while try !condition() {
            try #require(ContinuousClock.now < deadline, "the condition did not hold within two minutes")
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The single value that `sql` returns.
    func value(_ sql: String, at url: String) async throws -> String {
        let binaries = try await PostgresSearch().require(nil, for: resolved())
        let arguments = ["--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-qAt", "-c", sql, url]
        let outcome = try #require(await Command(path: binaries.path("psql"), arguments: arguments).run())
        try #require(outcome.succeeded, "\(outcome.output)")
        return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
