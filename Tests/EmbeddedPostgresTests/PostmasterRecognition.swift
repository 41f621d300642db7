import Foundation
import Testing

@testable import EmbeddedPostgres

/// Recognizing a postmaster by the pid in a lock file. The system hides the working folder of processes in other user
/// namespaces, such as those of a systemd unit with `PrivateUsers=`. With `ProtectProc=`, it hides the whole process.
@Suite struct PostmasterRecognition {
    private static func identity(
        folder workingFolder: String?, _ program: String?, owner: uid_t = 7, isListening: Bool
    ) throws -> PostmasterProcess.Identity {
        let folder = try #require(ClusterFolder(existing: "/usr"))
        return PostmasterProcess(workingFolder: workingFolder, program: program, owner: owner)
            .identity(for: folder, owner: 7) { isListening }
    }

    @Test(arguments: [true, false])
    func workingFolderDecidesIfItIsKnown(isListening: Bool) throws {
        for program in ["/usr/lib/postgresql/15/bin/postgres", "postgres"] {
            #expect(try Self.identity(folder: "/usr/postgres", program, isListening: isListening) == .postmaster)
            for folder in ["/usr", "/usr/postgres2", ""] {
                #expect(try Self.identity(folder: folder, program, isListening: isListening) == .other, "\(folder)")
            }
        }
    }

    @Test func listenerIsRecognizedIfTheWorkingFolderIsHidden() throws {
        for program in ["/usr/lib/postgresql/15/bin/postgres", nil] {
            #expect(try Self.identity(folder: nil, program, isListening: true) == .postmaster)
            #expect(try Self.identity(folder: nil, program, isListening: false) == .unknown)
        }
    }

    @Test func otherProgramsAndUsersAreRecognized() throws {
        for folder in ["/usr/postgres", nil] {
            for program in ["/usr/bin/setpriv", "/bin/sleep", "postgres: afterword: checkpointer ", "/postgres/x", ""] {
                #expect(try Self.identity(folder: folder, program, isListening: true) == .other, "\(program)")
            }
            for program in ["postgres", nil] {
                #expect(try Self.identity(folder: folder, program, owner: 8, isListening: true) == .other)
            }
        }
    }

    /// Even with a hidden working folder, a PostgreSQL that accepts connections is recognized.
    @Test(arguments: ["data", String(repeating: "long", count: 40)])
    func runningPostgresIsRecognizedWithoutItsWorkingFolder(name: String) async throws {
        let cluster = try TestCluster(named: name)
        let sockets = try await cluster.withService { _, url in
            let folder = try cluster.resolved()
            let owner = FileStatus(folder.data)?.owner
            let file = try #require(PostmasterFile(in: folder))
            let listener = try #require(SocketFolder.listener(in: file.socketFolder))
            #expect(listener == file.pid)
            let query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"
            let child = try #require(Int32(await cluster.value(query, at: url)))
            for (pid, expected) in [(file.pid, PostmasterProcess.Identity.postmaster), (child, .other)] {
                var process = try #require(PostmasterProcess(pid))
                #expect(process.identity(for: folder, owner: owner) { false } == expected)
                process.workingFolder = nil
                #expect(process.identity(for: folder, owner: owner) { pid == listener } == expected)
            }
            return file.socketFolder
        }
        #expect(SocketFolder.listener(in: sockets) == nil)
    }

    /// A PostgreSQL that might run on this folder is not ignored: its lock files stay, so that no second one starts.
    @Test(arguments: [PostmasterProcess.Identity.postmaster, .unknown, .other])
    func lockFilesAreKeptUnlessTheirProcessIsCertainlyAnother(identity: PostmasterProcess.Identity) throws {
        let cluster = try TestCluster()
        let folder = try ClusterFolder.prepare(cluster.folder)
        for path in [folder.data, folder.sockets] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let files = [PostmasterFile.path(in: folder), SocketFolder.lock(in: folder.sockets)]
        for file in files { try Data("\(getpid())\n".utf8).write(to: URL(filePath: file)) }
        StaleLockFiles(folder: folder, sockets: folder.sockets) { _, _ in identity }.remove()
        for file in files { #expect((FileStatus(file) == nil) == (identity == .other), "\(file)") }
    }

    @Test(arguments: [getpid(), .max])
    func ownAndEndedProcessesAreNotPostmasters(pid: Int32) throws {
        let folder = try #require(ClusterFolder(existing: "/usr"))
        let file = try #require(PostmasterFile(text: "\(pid)\n"))
        #expect(PostmasterProcess.identity(of: file, for: folder) == .other)
    }
}
