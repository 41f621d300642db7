import Foundation
import Logging
import Testing

@testable import EmbeddedPostgres

/// The replacement of a cluster, and the search for both versions. The whole upgrade is tested by `Upgrading`.
@Suite struct ClusterUpgrades {
    private let cluster: TestCluster
    private let installed: String

    init() throws {
        cluster = try TestCluster()
        installed = cluster.folder + "/installed"
    }

    private func rename(_ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: cluster.folder + from, toPath: cluster.folder + to)
    }

    private func exists(_ name: String) -> Bool { FileStatus(cluster.folder + name) != nil }

    /// Installs placeholder programs of these versions and returns a search in their folder.
    private func install(_ majors: Int...) throws -> PostgresSearch {
        for major in majors {
            let bin = "\(installed)/\(major)/bin"
            try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
            for program in ["initdb", "postgres"] {
                let isCreated = FileManager.default.createFile(
                    atPath: "\(bin)/\(program)", contents: Data("#!/bin/sh\n".utf8),
                    attributes: [.posixPermissions: 0o755])
                #expect(isCreated)
            }
        }
        return PostgresSearch(versionedRoots: [installed], searchesPath: false)
    }

    private func plan(_ search: PostgresSearch) async throws -> ClusterUpgrade.Plan {
        try await ClusterUpgrade.plan(
            folder: cluster.folder, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, search: search)
    }

    private func createClusterWithTable() async throws {
        try await cluster.withService { _, url in
            _ = try await cluster.value("CREATE TABLE kept AS SELECT 'yes' AS answer", at: url)
        }
    }

    private func expectTable() async throws {
        try await cluster.withService { _, url in
            let value = try await cluster.value("SELECT answer FROM kept", at: url)
            #expect(value == "yes")
        }
    }

    /// Between the two renamings, no folder has the cluster's name.
    @Test func interruptedReplacementIsUndoneByTheNextStart() async throws {
        try await createClusterWithTable()
        try rename("/postgres", "/postgres.replaced")
        try FileManager.default.createDirectory(
            atPath: cluster.folder + "/postgres.upgrading", withIntermediateDirectories: false)
        try EmbeddedPostgres.requireCluster(in: cluster.folder)
        try await expectTable()
        #expect(exists("/postgres") && !exists("/postgres.replaced"))
    }

    @Test func completeReplacementIsKeptByTheNextStart() async throws {
        try await createClusterWithTable()
        for name in ["/postgres-15.old", "/postgres.replaced"] {
            try FileManager.default.createDirectory(
                atPath: cluster.folder + name, withIntermediateDirectories: false)
        }
        try Data("15\n".utf8).write(to: URL(filePath: cluster.folder + "/postgres.replaced/PG_VERSION"))
        try await expectTable()
        #expect(!exists("/postgres.replaced") && exists("/postgres-15.old-2/PG_VERSION"))
        #expect(exists("/postgres-15.old") && !exists("/postgres-15.old/PG_VERSION"))
    }

    @Test func newClusterReplacesTheOldOne() async throws {
        for (name, major) in [("postgres", "15"), ("postgres.upgrading", "17")] {
            try FileManager.default.createDirectory(
                atPath: cluster.folder + "/" + name, withIntermediateDirectories: true)
            try Data("\(major)\n".utf8).write(to: URL(filePath: cluster.folder + "/\(name)/PG_VERSION"))
        }
        let old = try ClusterSwap(folder: cluster.resolved()).run()
        #expect(old == (try cluster.resolved()).path + "/postgres-15.old")
        #expect(try cluster.resolved().major() == 17)
        #expect(try cluster.resolved().named("postgres-15.old").major() == 15)
        // Without a new cluster, the old one keeps its name.
        #expect(throws: EmbeddedPostgresError.self) { try ClusterSwap(folder: cluster.resolved()).run() }
        #expect(try cluster.resolved().major() == 17 && !exists("/postgres.replaced"))
    }

    @Test func newestInstalledVersionIsChosen() async throws {
        try await createClusterWithTable()
        let major = try #require(try cluster.resolved().major())
        guard case .needed(let upgrade) = try await plan(install(major - 1, major, major + 1, major + 3)) else {
            Issue.record("no upgrade is needed")
            return
        }
        #expect(await EmbeddedPostgres.attach(folder: cluster.folder) == nil)
        await #expect(throws: EmbeddedPostgresError.self) { try await cluster.service().start() }
        // `upgrade` is used after the other checks, because it holds the lock of the folder while it exists.
        #expect(upgrade.old.major == major && upgrade.new.major == major + 3)
        #expect(upgrade.new.programs == "\(installed)/\(major + 3)/bin")
    }

    @Test func noUpgradeIsNeededWithoutANewerVersion() async throws {
        try await createClusterWithTable()
        let major = try #require(try cluster.resolved().major())
        guard case .newestAlready(major) = try await plan(install(major - 1, major)) else {
            Issue.record("an upgrade is needed")
            return
        }
    }

    @Test func missingOldVersionIsReportedWithItsPackage() async throws {
        try await createClusterWithTable()
        let major = try #require(try cluster.resolved().major())
        let search = try install(major + 2)
        let error = await #expect(throws: EmbeddedPostgresError.self) { try await plan(search) }
        let sentence = try #require(error).description
        #expect(sentence.contains("`postgresql-\(major)`. With both, `afterword upgrade` carries"), "\(sentence)")
        #expect(sentence.hasSuffix("PostgreSQL \(major + 2)."), "\(sentence)")
        let start = await #expect(throws: EmbeddedPostgresError.self) {
            try await cluster.service(search: search).start()
        }
        #expect(start == error)
        let older = await #expect(throws: EmbeddedPostgresError.self) {
            try await plan(PostgresSearch(versionedRoots: [], searchesPath: false))
        }
        #expect(older == .postgresMissing(needed: major, found: []))
    }

    @Test func foldersOfAKilledUpgradeAreDeletedByTheNextOne() async throws {
        try await createClusterWithTable()
        for name in ["/postgres.upgrading/base", "/postgres.upgrade-dump/afterword-1"] {
            try FileManager.default.createDirectory(
                atPath: cluster.folder + name, withIntermediateDirectories: true)
        }
        let major = try #require(try cluster.resolved().major())
        _ = try await plan(install(major))
        #expect(!exists("/postgres.upgrading") && !exists("/postgres.upgrade-dump"))
        try await expectTable()
    }
}
