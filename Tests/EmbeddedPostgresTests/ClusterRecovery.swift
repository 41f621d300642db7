import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import EmbeddedPostgres

@Suite struct ClusterRecovery {
    private static let pidFile = "postgres/postmaster.pid"
    private static let socketLock = "run/.s.PGSQL.5432.lock"

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

    @Test(arguments: [[pidFile], [socketLock], [pidFile, socketLock]])
    func reusedPidDoesNotPreventTheStart(files: [String]) async throws {
        let cluster = try TestCluster()
        let pid = try await cluster.abandon()
        #expect(kill(pid, SIGKILL) == 0)
        try await cluster.eventually { try !cluster.isRunning(pid) }
        try await cluster.withOtherProcess { otherPid in
            for file in files { try cluster.replacePid(in: file, by: otherPid) }
            try await cluster.withService { _, url in
                let value = try await cluster.value("SELECT 1", at: url)
                #expect(value == "1")
            }
            #expect(kill(otherPid, 0) == 0, "the other process still runs")
        }
    }

    @Test func reusedPidDoesNotPreventARestart() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        let url = try await service.start()
        let running = Task { try await service.run() }
        let pid = try cluster.pid()
        try await cluster.withOtherProcess { otherPid in
            try cluster.replacePid(in: Self.socketLock, by: otherPid)
            #expect(kill(pid, SIGKILL) == 0)
            try await cluster.untilRestarted(after: pid)
            let value = try await cluster.value("SELECT 1", at: url)
            #expect(value == "1")
        }
        await service.stop()
        try await running.value
    }

    @Test(arguments: [pidFile, socketLock])
    func emptyLockFileDoesNotPreventTheStart(file: String) async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, _ in }
        try Data().write(to: URL(filePath: "\(cluster.folder)/\(file)"))
        try await cluster.withService { _, url in
            let value = try await cluster.value("SELECT 1", at: url)
            #expect(value == "1")
        }
    }

    /// A running PostgreSQL can also be recognized by the lock file of its socket.
    @Test func orphanWithoutAPidFileIsReplaced() async throws {
        let cluster = try TestCluster()
        let orphan = try await cluster.abandon()
        try FileManager.default.removeItem(atPath: "\(cluster.folder)/\(Self.pidFile)")
        try await cluster.withService { _, url in
            let value = try await cluster.value("SELECT 1", at: url)
            #expect(value == "1")
            #expect(try !cluster.isRunning(orphan))
        }
    }

    @Test func lockFilesOfARunningPostgresAreKept() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, _ in
            let folder = try cluster.resolved()
            StaleLockFiles(folder: folder, sockets: folder.sockets).remove()
            for file in [Self.pidFile, Self.socketLock] {
                #expect(FileStatus("\(cluster.folder)/\(file)") != nil, "\(file)")
            }
        }
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

    /// Each staging folder has its own name, so an `initdb` left by a killed service cannot disturb the next one.
    @Test func stagingFoldersAreRemovedAndOtherFoldersAreKept() async throws {
        let cluster = try TestCluster()
        let stagings = (1...2).map { _ in ClusterFolder.stagingPrefix + UUID().uuidString }
        let others = ["postgres.new", "postgres.new.1", "postgres.newer", "postgres.old"]
        for name in stagings + others {
            try FileManager.default.createDirectory(
                atPath: cluster.folder + "/\(name)/base", withIntermediateDirectories: true)
        }
        #expect(try cluster.resolved().stagings.count == 2)
        try await cluster.withService { _, _ in }
        #expect(try cluster.resolved().stagings.isEmpty)
        for name in others { #expect(FileStatus(cluster.folder + "/\(name)/base") != nil, "\(name)") }
    }

    /// PostgreSQL refuses to start while an old process holds its shared memory. If the pauses between starts doubled
    /// without a bound, there would be at most eight starts before the test's deadline.
    @Test func restartIsRepeatedOftenUntilOldProcessesHaveEnded() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        let url = try await service.start()
        let running = Task { try await service.run() }
        let query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'"
        let backgroundWriter = try #require(Int32(await cluster.value(query, at: url)))
        let first = try cluster.pid()
        #expect(kill(backgroundWriter, SIGSTOP) == 0)
        defer { kill(backgroundWriter, SIGCONT) }
        #expect(kill(first, SIGKILL) == 0)
        try await cluster.eventually {
            let log = try String(contentsOfFile: cluster.resolved().log, encoding: .utf8)
            return log.split(separator: "pre-existing shared memory block").count > 9
        }
        #expect(kill(backgroundWriter, SIGCONT) == 0)
        try await cluster.untilRestarted(after: first)
        let value = try await cluster.value("SELECT 1", at: url)
        #expect(value == "1")
        await service.stop()
        try await running.value
    }

    /// A full disk does not count toward the limit of one restart within five minutes.
    @Test func postgresOnAFullDiskIsRestartedWhenThereIsSpace() async throws {
        let cluster = try TestCluster()
        let space = SimulatedSpace()
        let service = cluster.service(disk: space.disk)
        let url = try await service.start()
        let running = Task { try await service.run() }
        for _ in 0..<3 {
            let pid = try cluster.pid()
            space.set(DiskSpace.neededBytes - 1)
            #expect(kill(pid, SIGKILL) == 0)
            try await cluster.eventually { space.timesAsked > 5 }
            #expect(try cluster.pid() == pid, "PostgreSQL is not started yet")
            space.set(DiskSpace.neededBytes)
            try await cluster.untilRestarted(after: pid)
            let value = try await cluster.value("SELECT 1", at: url)
            #expect(value == "1")
        }
        await service.stop()
        try await running.value
    }

    @Test(.timeLimit(.minutes(5))) func serviceStopsWhileTheDiskIsFull() async throws {
        for isGraceful in [true, false] {
            let cluster = try TestCluster()
            let space = SimulatedSpace()
            let service = cluster.service(disk: space.disk)
            _ = try await service.start()
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let group = ServiceGroup(services: [service], logger: logger)
            let running = Task { try await group.run() }
            space.set(0)
            #expect(kill(try cluster.pid(), SIGKILL) == 0)
            try await cluster.eventually { space.timesAsked > 5 }
            if isGraceful { await group.triggerGracefulShutdown() } else { await service.stop() }
            _ = await running.result
            #expect(try !FolderLock.isHeld(cluster.resolved()))
        }
    }

    @Test func freeSpaceIsKnownForExistingFoldersOnly() throws {
        let folder = try TemporaryFolder()
        let free = try #require(DiskSpace().freeBytes(folder.path))
        #expect(free > 0)
        #expect(DiskSpace().freeBytes("\(folder.path)/missing") == nil)
        #expect(!DiskSpace().isShort(in: "\(folder.path)/missing"))
    }

    @Test func crashedPostgresIsRestartedOnce() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        let url = try await service.start()
        let running = Task { try await service.run() }
        let first = try cluster.pid()
        #expect(kill(first, SIGKILL) == 0)
        try await cluster.untilRestarted(after: first)
        let value = try await cluster.value("SELECT 1", at: url)
        #expect(value == "1")
        let second = try cluster.pid()
        #expect(kill(second, SIGKILL) == 0)
        await #expect(throws: EmbeddedPostgresError.self) { try await running.value }
        #expect(try !FolderLock.isHeld(cluster.resolved()))
    }
}

/// A disk whose free space the test sets.
private final class SimulatedSpace: Sendable {
    private let state = Mutex((freeBytes: Int.max, timesAsked: 0))

    var disk: DiskSpace {
        DiskSpace { _ in
            self.state.withLock { state in
                state.timesAsked += 1
                return state.freeBytes
            }
        }
    }

    var timesAsked: Int { state.withLock(\.timesAsked) }

    func set(_ freeBytes: Int) { state.withLock { $0 = (freeBytes, 0) } }
}

extension TestCluster {
    /// Waits until a postmaster with another pid accepts connections.
    fileprivate func untilRestarted(after pid: Int32) async throws {
        try await eventually {
            guard let file = try PostmasterFile(in: resolved()) else { return false }
            return file.pid != pid && file.isReady
        }
    }

    /// Runs `body` while another process of the cluster's user runs. PostgreSQL itself refuses to start while a process
    /// of its user has the pid in a lock file, unless that process is its own parent.
    fileprivate func withOtherProcess(_ body: (Int32) async throws -> Void) async throws {
        let user = try ClusterUser.choose(for: resolved())
        // The seconds distinguish this process from those of other tests.
        let seconds = "\(Int.random(in: 1_000_000...9_999_999))"
        let process = Task { await user.command("/bin/sleep", [seconds]).run() }
        defer { process.cancel() }
        var pid: Int32?
        try await eventually {
            pid = try ProcessList.pid(of: "/bin/sleep\0\(seconds)\0", owner: user.id)
            return pid != nil
        }
        try await body(try #require(pid))
    }

    /// Replaces the pid in a lock file, as if another process had reused the pid of the former postmaster.
    fileprivate func replacePid(in file: String, by pid: Int32) throws {
        let path = "\(folder)/\(file)"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let rest = text.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().joined(separator: "\n")
        // The existing file is changed, because the file of a running PostgreSQL belongs to the cluster's user.
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data("\(pid)\n\(rest)".utf8))
        try handle.close()
    }
}
