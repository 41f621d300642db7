import Foundation

/// The folder of the cluster's Unix socket, accessible only to the cluster's user and root.
struct SocketFolder: Sendable {
    /// The capacity of `sun_path` is 104 to 108 bytes including the terminating zero, depending on the system.
    private static let maxPathBytes = 100

    let path: String
    private let isTemporary: Bool

    /// Uses `run` in the data folder, or a short folder in `/tmp` if the socket's name would be too long or could not
    /// be written in PostgreSQL's comma-separated setting.
    init(in folder: ClusterFolder, for user: ClusterUser) throws(EmbeddedPostgresError) {
        let fits = Self.lock(in: folder.sockets).utf8.count <= Self.maxPathBytes
        guard fits, !folder.sockets.contains(where: { $0 == "," || $0 == "\"" }) else {
            self = try .temporary(for: user)
            return
        }
        path = folder.sockets
        isTemporary = false
        guard let status = FileStatus(path) else {
            try ClusterFolder.makePrivate(path, for: user)
            return
        }
        guard status.isFolder else { throw .folderUnusable(path: path, reason: "it is not a folder") }
        // Opened by descriptor, so that a link placed here in the meantime is never followed.
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable(path) }
        defer { close(descriptor) }
        let isOwned = FileStatus(descriptor: descriptor)?.owner == user.id
        guard isOwned || fchown(descriptor, user.id, user.group) == 0, fchmod(descriptor, 0o700) == 0 else {
            throw .unusable(path)
        }
    }

    private init(path: String, isTemporary: Bool) {
        self.path = path
        self.isTemporary = isTemporary
    }

    private static func temporary(for user: ClusterUser) throws(EmbeddedPostgresError) -> SocketFolder {
        var template = Array("/tmp/afterword-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .unusable("/tmp") }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        try user.own(path)
        return SocketFolder(path: path, isTemporary: true)
    }

    /// The lock file of the socket in this folder.
    static func lock(in path: String) -> String { path + "/.s.PGSQL.5432.lock" }

    /// Removes a temporary folder. The postmaster has already removed the socket.
    func discard() {
        if isTemporary { rmdir(path) }
    }

    /// Removes the temporary folder left behind by a killed service.
    static func discardLeftover(_ path: String) {
        guard path.hasPrefix("/tmp/afterword-") else { return }
        unlink(path + "/.s.PGSQL.5432")
        unlink(lock(in: path))
        rmdir(path)
    }
}

#if os(Linux)
    extension SocketFolder {
        /// Returns the pid of the process that listens on the socket in this folder; nil if there is none.
        static func listener(in path: String) -> Int32? {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Array((path + "/.s.PGSQL.5432").utf8)
            guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            // A process that accepts no connections must not block this one.
            let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_UNIX, type, 0)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            let isConnected = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
            // The system's `struct ucred`: pid, user and group.
            var peer: [Int32] = [0, 0, 0]
            var size = socklen_t(peer.count * MemoryLayout<Int32>.size)
            guard isConnected, getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer[0] > 0 else {
                return nil
            }
            return peer[0]
        }
    }
#endif
