import Foundation
import Testing

@testable import EmbeddedPostgres

@Suite struct ClusterRefusals {
    @Test func secondServiceIsRefusedWithThePidOfTheFirst() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, _ in
            let error = await #expect(throws: EmbeddedPostgresError.self) { try await cluster.service().start() }
            let folder = try cluster.resolved().path
            #expect(error == .folderInUse(folder: folder, pid: getpid()))
            #expect(try #require(error).description.contains("in use by process \(getpid())"))
        }
    }

    @Test func folderOfAnotherMajorVersionIsRefusedWithBothVersions() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, _ in }
        try Data("9\n".utf8).write(to: URL(filePath: cluster.folder + "/postgres/PG_VERSION"))
        let error = await #expect(throws: EmbeddedPostgresError.self) { try await cluster.service().start() }
        guard case .otherMajor(_, 9, let installed)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!installed.isEmpty)
        #expect(try #require(error).description.contains("created by PostgreSQL 9 and only"))
        #expect(try !FolderLock.isHeld(cluster.resolved()))
    }

    @Test func missingPostgresIsReportedWithItsPackage() async throws {
        let cluster = try TestCluster()
        let nothing = PostgresSearch(versionedRoots: [cluster.folder + "/none"], searchesPath: false)
        let error = await #expect(throws: EmbeddedPostgresError.self) {
            try await cluster.service(search: nothing).start()
        }
        #expect(error == .postgresMissing(needed: 15, found: []))
        #expect(try #require(error).description.contains("apt-get install postgresql"))
    }

    @Test func oldPostgresIsRefusedForANewFolder() async throws {
        let cluster = try TestCluster()
        let bin = cluster.folder + "/installed/13/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        for program in ["initdb", "postgres"] {
            let isCreated = FileManager.default.createFile(
                atPath: "\(bin)/\(program)", contents: Data("#!/bin/sh\n".utf8), attributes: [.posixPermissions: 0o755])
            #expect(isCreated)
        }
        let old = PostgresSearch(versionedRoots: [cluster.folder + "/installed"], searchesPath: false)
        await #expect(throws: EmbeddedPostgresError.postgresMissing(needed: 15, found: [13])) {
            try await cluster.service(search: old).start()
        }
    }

    @Test func pathIsSearchedIfNoVersionedFolderFits() async throws {
        let cluster = try TestCluster()
        let folder = try ClusterFolder.prepare(cluster.folder)
        let versioned = try await PostgresSearch().require(nil, for: folder)
        let onPath = try await PostgresSearch(versionedRoots: []).require(nil, for: folder)
        #expect(onPath.major >= PostgresBinaries.oldestMajor)
        #expect(versioned.major >= onPath.major)
    }

    @Test(.enabled(if: geteuid() == 0, "another user runs the cluster only for root"))
    func inaccessibleFolderIsNamed() async throws {
        let cluster = try TestCluster(named: "closed/data")
        let closed = try TestCluster.closedParent(of: cluster.folder)
        let error = await #expect(throws: EmbeddedPostgresError.self) { try await cluster.service().start() }
        guard case .folderClosedToClusterUser(_, closed, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(FileStatus(cluster.folder + "/postgres") == nil)
        #expect(try cluster.resolved().stagings.isEmpty)
    }

    @Test func folderIsOpenToAllOnlyIfItsParentsAre() throws {
        let cluster = try TestCluster(named: "parent/data")
        let parent = try TestCluster.closedParent(of: cluster.folder)
        try FileManager.default.createDirectory(atPath: cluster.folder, withIntermediateDirectories: false)
        try #require(chmod(cluster.folder, 0o711) == 0)
        #expect(FileStatus.isOpenToAll("/usr/bin"))
        #expect(try !FileStatus.isOpenToAll(cluster.resolved().path))
        #expect(!FileStatus.isOpenToAll(parent + "/missing"))
    }

    @Test func pathThroughAFileIsRefused() async throws {
        let cluster = try TestCluster(named: "file/data")
        let file = String(cluster.folder.dropLast("/data".count))
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        let error = await #expect(throws: EmbeddedPostgresError.self) { try await cluster.service().start() }
        guard case .folderUnusable? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func folderWithOtherContentIsNotChanged() async throws {
        let cluster = try TestCluster()
        let folder = cluster.folder + "/postgres"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: folder + "/letter.txt", contents: Data("dear".utf8)))
        let expected = EmbeddedPostgresError.notACluster(folder: try cluster.resolved().data)
        await #expect(throws: expected) { try await cluster.service().start() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["letter.txt"])
    }

    @Test func brokenClusterIsReportedWithTheReasonOfPostgreSQL() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, _ in }
        try FileManager.default.removeItem(atPath: cluster.folder + "/postgres/global/pg_control")
        let error = await #expect(throws: EmbeddedPostgresError.self) { try await cluster.service().start() }
        guard case .startFailed(let reason, let log)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason == "could not find the database system")
        #expect(log.hasSuffix("/postgres.log"))
        #expect(try !FolderLock.isHeld(cluster.resolved()))
    }
}

extension TestCluster {
    /// Creates the parent of `folder`, accessible to its owner only.
    static func closedParent(of folder: String) throws -> String {
        let parent = String(folder.prefix(upTo: try #require(folder.lastIndex(of: "/"))))
        try FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try #require(chmod(parent, 0o700) == 0)
        return parent
    }
}
