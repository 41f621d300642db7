import Foundation

/// A process whose pid is in a lock file, and whether it is the postmaster of a data folder.
///
/// The pid may belong to any process by now. Therefore only a recognized postmaster is stopped, and a lock file is
/// removed only if its process is certainly another one. In all other cases, PostgreSQL itself refuses to start.
struct PostmasterProcess: Equatable, Sendable {
    enum Identity: Sendable {
        case postmaster
        case other
        case unknown
    }

    /// Nil if the system does not permit reading it, as for a process in another user namespace.
    var workingFolder: String?
    /// The path of the program, or the title that the process has given itself; empty if the process has ended and was
    /// not reaped. Nil if the system does not permit reading it.
    var program: String?
    var owner: uid_t

    /// Identifies the process. A postmaster belongs to the owner of its data folder, which is also its working folder,
    /// and has the name of the program. Its children are named `postgres: …`.
    ///
    /// If the working folder is hidden, the process must listen on the cluster's socket. Only the folder's owner and
    /// root can put a socket there, and the system reports the pid.
    ///
    /// - Parameters:
    ///   - owner: The owner of the data folder.
    ///   - isListening: Whether this process listens on the cluster's socket.
    func identity(for folder: ClusterFolder, owner folderOwner: uid_t?, isListening: () -> Bool) -> Identity {
        guard owner == folderOwner else { return .other }
        if let program, program.split(separator: "/").last != "postgres" { return .other }
        if let workingFolder { return workingFolder == folder.data ? .postmaster : .other }
        return isListening() ? .postmaster : .unknown
    }

    /// The identity of the process whose pid is in this lock file.
    static func identity(of file: PostmasterFile, for folder: ClusterFolder) -> Identity {
        #if os(Linux)
            let isListening = {
                SocketFolder.listener(in: file.socketFolder.isEmpty ? folder.sockets : file.socketFolder) == file.pid
            }
            guard let process = PostmasterProcess(file.pid) else {
                // Without an entry in /proc the process has ended, unless the system hides it.
                guard kill(file.pid, 0) == 0 else { return .other }
                return isListening() ? .postmaster : .unknown
            }
            return process.identity(for: folder, owner: FileStatus(folder.data)?.owner, isListening: isListening)
        #else
            return kill(file.pid, 0) == 0 ? .postmaster : .other
        #endif
    }
}

#if os(Linux)
    extension PostmasterProcess {
        /// Returns nil if there is no such process, or if it is hidden.
        init?(_ pid: Int32) {
            guard let owner = FileStatus("/proc/\(pid)")?.owner else { return nil }
            self.owner = owner
            workingFolder = Self.linkTarget("/proc/\(pid)/cwd")
            program = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline").map { line in
                String(decoding: line.prefix { $0 != 0 }, as: UTF8.self)
            }
        }

        /// Returns nil if the system does not permit reading it, and an empty string for a process that has ended.
        private static func linkTarget(_ path: String) -> String? {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
                guard let start = buffer.baseAddress else { return nil }
                let count = readlink(path, start, buffer.count)
                guard count >= 0 else { return [EACCES, EPERM].contains(errno) ? nil : "" }
                return String(decoding: buffer.prefix(count).lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
        }
    }
#endif
