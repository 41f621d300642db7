import Foundation

/// The operating-system user that runs the cluster.
struct ClusterUser: Equatable, Sendable {
    static let setpriv = "/usr/bin/setpriv"

    let name: String
    let id: uid_t
    let group: gid_t

    /// The user who runs the service.
    static var current: ClusterUser { ClusterUser(id: geteuid()) }

    /// Returns the user of the cluster: the service's own user or, if that is root, an unprivileged one. PostgreSQL
    /// refuses a folder that belongs to another user, so an existing cluster determines the user.
    static func choose(for folder: ClusterFolder) throws(EmbeddedPostgresError) -> ClusterUser {
        let owner = FileStatus(folder.data)?.owner
        guard geteuid() == 0 else {
            if let owner, owner != current.id {
                throw .otherOwner(folder: folder.path, owner: ClusterUser(id: owner).name, user: current.name)
            }
            return current
        }
        guard access(setpriv, X_OK) == 0 else { throw .setprivMissing }
        if let owner, owner != 0 { return ClusterUser(id: owner) }
        return ClusterUser(name: "postgres") ?? ClusterUser(name: "nobody") ?? ClusterUser(id: 65534)
    }
}

extension ClusterUser {
    init?(name: String) {
        guard let user = Self.lookUp({ getpwnam_r(name, $0, $1, $2, $3) }) else { return nil }
        self = user
    }

    /// Finds the user with this id. If the user database has no entry for it, the id is also the name.
    init(id: uid_t) {
        self =
            Self.lookUp { getpwuid_r(id, $0, $1, $2, $3) }
            ?? ClusterUser(name: String(id), id: id, group: id == geteuid() ? getegid() : gid_t(id))
    }

    /// Returns a command that runs as this user. Root changes the user with `setpriv`, which executes the program in
    /// the same process and so preserves the pid.
    func command(_ path: String, _ arguments: [String]) -> Command {
        guard id != geteuid() else { return Command(path: path, arguments: arguments) }
        let change = ["--reuid=\(id)", "--regid=\(group)", "--clear-groups", "--", path]
        return Command(path: Self.setpriv, arguments: change + arguments)
    }

    /// Makes this user the owner of a new folder. Does nothing if the user already owns it, as is always the case
    /// without root, because a sandbox may refuse every change of owner.
    func own(_ path: String) throws(EmbeddedPostgresError) {
        guard FileStatus(path)?.owner != id else { return }
        guard lchown(path, id, group) == 0 else { throw .unusable(path) }
    }

    /// Throws if this user can't enter the folder. The error names the first inaccessible part of the path.
    func requireAccess(to folder: ClusterFolder) async throws(EmbeddedPostgresError) {
        // Only an attempt by a child process, which takes 20 ms, accounts for access control lists.
        guard id != geteuid(), !FileStatus.isOpenToAll(folder.path), await !canEnter(folder.path) else { return }
        var reached = ""
        for part in folder.path.split(separator: "/") {
            reached += "/" + part
            if await !canEnter(reached) { break }
        }
        throw .folderClosedToClusterUser(folder: folder.path, blocked: reached, user: name)
    }

    private func canEnter(_ path: String) async -> Bool {
        await command("/usr/bin/test", ["-x", path]).run()?.succeeded == true
    }

    private static func lookUp(
        _ call: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> CInt
    ) -> ClusterUser? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            guard call(&entry, start, buffer.count, &found) == 0, let found else { return nil }
            let user = found.pointee
            return ClusterUser(name: String(cString: user.pw_name), id: user.pw_uid, group: user.pw_gid)
        }
    }
}
