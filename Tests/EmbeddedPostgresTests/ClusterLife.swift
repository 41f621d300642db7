import Foundation
import Logging
import ServiceLifecycle
import Testing

@testable import EmbeddedPostgres

@Suite struct ClusterLife {
    @Test func firstStartCreatesADatabase() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, url in
            let row = try await cluster.value(
                """
                SELECT current_database(), current_user, pg_encoding_to_char(encoding), datcollate,
                    current_setting('TimeZone'), current_setting('listen_addresses'), current_setting('fsync')
                FROM pg_database WHERE datname = current_database()
                """, at: url)
            #expect(row == "afterword|afterword|UTF8|C.UTF-8|UTC||on")
        }
    }

    @Test func pageImagesAreCompressedByTheFastestMethod() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, url in
            let methods = try await cluster.value(
                "SELECT setting || ' of ' || enumvals::text FROM pg_settings WHERE name = 'wal_compression'", at: url)
            #expect(methods.hasPrefix(methods.contains(/lz4[,}]/) ? "lz4 of" : "on of"), "\(methods)")
        }
    }

    @Test func onlyNewerKernelsReportSyncErrors() async throws {
        #expect(FileSystemSync.reportsErrors(kernel: "5.8.0") && FileSystemSync.reportsErrors(kernel: "6.1.0-18-amd64"))
        for kernel in ["5.7.19", "4.19.0-26-amd64", "", "unknown"] {
            #expect(!FileSystemSync.reportsErrors(kernel: kernel), "\(kernel)")
        }
        #expect(await !FileSystemSync.run("/missing/folder"))
    }

    @Test func recoverySyncsTheFileSystemWhereFailuresAreReported() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, url in
            let method = try await cluster.value("SHOW recovery_init_sync_method", at: url)
            #expect(method == (FileSystemSync.isReliable ? "syncfs" : "fsync"))
        }
    }

    @Test func secondStartIsFasterAndKeepsTheData() async throws {
        let cluster = try TestCluster()
        let clock = ContinuousClock()
        let first = try await clock.measure {
            try await cluster.withService { _, url in
                _ = try await cluster.value("CREATE TABLE kept AS SELECT 'yes' AS answer", at: url)
            }
        }
        let second = try await clock.measure {
            try await cluster.withService { _, url in
                let value = try await cluster.value("SELECT answer FROM kept", at: url)
                #expect(value == "yes")
            }
        }
        #expect(second < first)
    }

    @Test func stoppingLeavesNoProcessAndFreesTheFolder() async throws {
        let cluster = try TestCluster()
        let pid = try await cluster.withService { _, _ in try cluster.pid() }
        #expect(try !cluster.isRunning(pid))
        #expect(try PostmasterFile(in: cluster.resolved()) == nil)
        #expect(try !FolderLock.isHeld(cluster.resolved()))
    }

    @Test func stoppingAStoppedClusterIsHarmless() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        await service.stop()
        _ = try await service.start()
        #expect(try await service.start().hasPrefix("postgresql:///afterword?"))
        await service.stop()
        await service.stop()
    }

    @Test func rootRunsTheClusterAsAnUnprivilegedUser() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, _ in
            let status = try #require(FileStatus("/proc/\(cluster.pid())"))
            #expect(status.owner != 0)
            let sockets = try #require(FileStatus(cluster.folder + "/run"))
            #expect(sockets.owner == status.owner)
            #expect(sockets.permissions == 0o700)
        }
    }

    /// A sandbox may refuse every change of ownership. In this test, such a change would be visible if root made it,
    /// and an error for any other user.
    @Test func foldersOfTheRightOwnerAreNotHandedOver() throws {
        let (current, group) = (ClusterUser.current, getegid())
        let user = ClusterUser(name: current.name, id: current.id, group: group + 1)
        func groupOwner(_ path: String) throws -> gid_t {
            var status = stat()
            try #require(lstat(path, &status) == 0)
            return status.st_gid
        }
        let cluster = try TestCluster()
        let folder = try ClusterFolder.prepare(cluster.folder)
        try ClusterFolder.makePrivate(folder.data, for: user)
        #expect(try groupOwner(folder.data) == group)
        for _ in ["new", "existing"] {
            let sockets = try SocketFolder(in: folder, for: user)
            #expect(try groupOwner(sockets.path) == group)
        }
        let long = try TestCluster(named: String(repeating: "long", count: 40))
        let temporary = try SocketFolder(in: ClusterFolder.prepare(long.folder), for: user)
        defer { temporary.discard() }
        #expect(try temporary.path.hasPrefix("/tmp/") && groupOwner(temporary.path) == group)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can connect as another user"))
    func otherUsersOfTheMachineCannotConnect() async throws {
        let cluster = try TestCluster()
        try await cluster.withService { _, url in
            // Whatever the permissions are, the kernel reports the connecting user to the cluster.
            #expect(chmod(cluster.folder + "/run", 0o777) == 0)
            let socket = cluster.folder + "/run/.s.PGSQL.5432"
            #expect(chmod(socket, 0o777) == 0)
            let psql = try await PostgresSearch().require(nil, for: cluster.resolved()).path("psql")
            let otherUser = ClusterUser(id: 5)
            let outcome = try #require(await otherUser.command(psql, ["-Atc", "SELECT 1", url]).run())
            #expect(!outcome.succeeded)
            #expect(outcome.output.contains("Peer authentication failed"))
        }
    }

    @Test(arguments: ["a folder, of \"ours\" & 100% mine", String(repeating: "long", count: 40)])
    func folderMayHaveAnyName(name: String) async throws {
        let cluster = try TestCluster(named: name)
        let sockets = try await cluster.withService { _, url in
            let value = try await cluster.value("SELECT 1", at: url)
            #expect(value == "1")
            return try #require(PostmasterFile(in: cluster.resolved())).socketFolder
        }
        #expect(sockets.hasPrefix("/tmp/afterword-"))
        #expect(FileStatus(sockets) == nil)
    }

    @Test func serviceGroupStopsTheClusterGracefully() async throws {
        let cluster = try TestCluster()
        let service = cluster.service()
        _ = try await service.start()
        let pid = try cluster.pid()
        let group = ServiceGroup(services: [service], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(try !cluster.isRunning(pid))
    }
}
