import Foundation
import Testing

@testable import EmbeddedPostgres

@Suite struct ClusterRecovery {
    @Test func orphanOfAKilledServiceIsReplaced() async throws {
        let cluster = try TestCluster()
        let orphan = try await cluster.abandon()
        #expect(try cluster.isRunning(orphan))
        try await cluster.withService { _, url in
            let value = try await cluster.value("SELECT 1", at: url)
            #expect(value == "1")
            #expect(try cluster.pid() != orphan)
            #expect(try !cluster.isRunning(orphan))
        }
    }

    @Test func killedPostmasterLosesNoData() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        let url = try await service.start()
        _ = try await cluster.value("CREATE TABLE kept AS SELECT 'yes' AS answer", at: url)
        let pid = try cluster.pid()
        #expect(kill(pid, SIGKILL) == 0)
        await service.stop()
        #expect(try cluster.pid() == pid, "the stale pid file remains")
        try await cluster.withService { _, url in
            let value = try await cluster.value("SELECT answer FROM kept", at: url)
            #expect(value == "yes")
        }
    }

    @Test func reusedPidDoesNotPreventTheStart() async throws {
        let cluster = try TestCluster()
        let pid = try await cluster.abandon()
        #expect(kill(pid, SIGKILL) == 0)
        try await cluster.eventually { try !cluster.isRunning(pid) }
        // PostgreSQL itself refuses to start while the process of its pid file runs, unless that is its own parent.
        let user = try ClusterUser.choose(for: cluster.resolved())
        let otherProcess = Task { await user.command("/bin/sleep", ["60"]).run() }
        defer { otherProcess.cancel() }
        let file = cluster.folder + "/postgres/postmaster.pid"
        var otherPid: Int32?
        try await cluster.eventually {
            otherPid = try ProcessList.pid(of: "/bin/sleep\0" + "60\0", owner: user.id)
            return otherPid != nil
        }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        let forged = (["\(try #require(otherPid))"] + lines.map(String.init)).joined(separator: "\n")
        try Data(forged.utf8).write(to: URL(filePath: file))
        try await cluster.withService { _, url in
            let value = try await cluster.value("SELECT 1", at: url)
            #expect(value == "1")
        }
        #expect(try kill(#require(otherPid), 0) == 0, "the other process still runs")
    }

    @Test func incompleteClusterIsReplaced() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        let start = Task { try await service.start() }
        try await cluster.eventually {
            ClusterFolder(existing: cluster.folder)?.stagings.contains { FileStatus($0 + "/base") != nil } == true
        }
        start.cancel()
        await #expect(throws: EmbeddedPostgresError.interrupted) { try await start.value }
        #expect(FileStatus(cluster.folder + "/postgres") == nil)
        #expect(try !cluster.resolved().stagings.isEmpty)
        try await cluster.withService { _, url in
            let value = try await cluster.value("SELECT 1", at: url)
            #expect(value == "1")
        }
        #expect(try cluster.resolved().stagings.isEmpty)
    }

    /// The folder has a name of its own, so that an `initdb` left by a killed service cannot disturb it.
    @Test func remainsAreRemovedButNotFoldersOfOperators() async throws {
        let cluster = try TestCluster()
        let remains = (1...2).map { _ in ClusterFolder.stagingPrefix + UUID().uuidString }
        let others = ["postgres.new", "postgres.new.1", "postgres.newer", "postgres.old"]
        for name in remains + others {
            try FileManager.default.createDirectory(
                atPath: cluster.folder + "/\(name)/base", withIntermediateDirectories: true)
        }
        #expect(try cluster.resolved().stagings.count == 2)
        try await cluster.withService { _, _ in }
        #expect(try cluster.resolved().stagings.isEmpty)
        for name in others { #expect(FileStatus(cluster.folder + "/\(name)/base") != nil, "\(name)") }
    }

    @Test func crashedPostgresIsRestartedOnce() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        let url = try await service.start()
        let running = Task { try await service.run() }
        let first = try cluster.pid()
        #expect(kill(first, SIGKILL) == 0)
        try await cluster.eventually {
            guard let file = try PostmasterFile(in: cluster.resolved()) else { return false }
            return file.pid != first && file.isReady
        }
        let value = try await cluster.value("SELECT 1", at: url)
        #expect(value == "1")
        let second = try cluster.pid()
        #expect(kill(second, SIGKILL) == 0)
        await #expect(throws: EmbeddedPostgresError.self) { try await running.value }
        #expect(try !FolderLock.isHeld(cluster.resolved()))
    }
}
