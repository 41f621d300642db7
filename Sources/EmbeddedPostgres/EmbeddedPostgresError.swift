import Foundation

/// The reason why the private cluster can't run, described in one sentence with a remedy.
public enum EmbeddedPostgresError: Error, Equatable {
    /// No PostgreSQL with at least the major version `needed` is installed. `found` lists the older ones that are.
    case postgresMissing(needed: Int, found: [Int])
    /// `setpriv`, with which root changes to the cluster's user, is not installed.
    case setprivMissing
    case folderUnusable(path: String, reason: String)
    /// `path` does not exist, and the caller must not create it.
    case folderMissing(path: String)
    /// `path` is a folder without a cluster, and the caller must not create one.
    case clusterMissing(path: String)
    /// The cluster's user, who is not the service's, can't traverse `blocked` on the way to `folder`.
    case folderClosedToClusterUser(folder: String, blocked: String, user: String)
    /// Another process has locked `folder`. `pid` is nil if that process has not written its pid.
    case folderInUse(folder: String, pid: Int32?)
    case otherMajor(folder: String, found: Int, installed: [Int])
    case notACluster(folder: String)
    case otherOwner(folder: String, owner: String, user: String)
    case creationFailed(step: String, output: String)
    case startFailed(reason: String, log: String)
    /// A PostgreSQL process left behind by an earlier service does not stop.
    case orphanDoesNotStop(pid: Int32)
    case stoppedRepeatedly(log: String)
    case interrupted
}

extension EmbeddedPostgresError {
    /// `folderUnusable` with the system's message for the failure of the last call.
    static func unusable(_ path: String) -> EmbeddedPostgresError {
        .folderUnusable(path: path, reason: String(cString: strerror(errno)))
    }
}

extension EmbeddedPostgresError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .postgresMissing(let needed, let found) where found.isEmpty:
            "PostgreSQL \(needed) or newer is not installed: run `apt-get install postgresql`, or name a database with"
                + " --database-url."
        case .postgresMissing(let needed, let found):
            "PostgreSQL \(needed) or newer is needed and only \(Self.list(found)) is installed: run"
                + " `apt-get install postgresql`, or name a database with --database-url."
        case .setprivMissing:
            "Root cannot hand the database to an unprivileged user without setpriv: run `apt-get install util-linux`,"
                + " or start as another user."
        case .folderUnusable(let path, let reason):
            "The data folder \(path) cannot be used (\(reason)): fix its permissions, free some disk space, or choose another"
                + " with --data."
        case .folderMissing(let path):
            "There is no data folder at \(path): start `afterword serve --data \(path)` first, or correct --data."
        case .clusterMissing(let path):
            "The data folder \(path) holds no database: start `afterword serve --data \(path)` first, or correct --data."
        case .folderClosedToClusterUser(let folder, let blocked, let user):
            "The user \(user), who runs the database in \(folder), cannot enter \(blocked): run `chmod o+x \(blocked)`"
                + " or choose another folder with --data."
        case .folderInUse(let folder, let pid?):
            "The data folder \(folder) is in use by process \(pid): stop it first or choose another with --data."
        case .folderInUse(let folder, nil):
            "The data folder \(folder) is in use by another process: stop it first or choose another with --data."
        case .otherMajor(let folder, let found, let installed):
            "The cluster in \(folder) was created by PostgreSQL \(found) and \(Self.installedText(installed)): install"
                + " `postgresql-\(found)`\(Self.upgradeText(from: found, installed))."
        case .notACluster(let folder):
            "The folder \(folder) is not empty and holds no PostgreSQL cluster: move it away or choose another data"
                + " folder with --data."
        case .otherOwner(let folder, let owner, let user):
            "The cluster in \(folder) belongs to \(owner), not to \(user): start as \(owner) or as root."
        case .creationFailed(let step, let output):
            "PostgreSQL's \(step) failed: \(output)"
        case .startFailed(let reason, let log):
            "PostgreSQL stopped while it was starting (\(reason)): see \(log)."
        case .orphanDoesNotStop(let pid):
            "The PostgreSQL process \(pid), left by an earlier service, does not stop: stop it by hand and start again."
        case .stoppedRepeatedly(let log):
            "PostgreSQL stopped twice within five minutes, so it is not started again: see \(log)."
        case .interrupted:
            "The start of PostgreSQL was interrupted."
        }
    }

    private static func list(_ majors: [Int]) -> String {
        majors.sorted().map(String.init).joined(separator: ", ")
    }

    /// How to upgrade to a newer version, which needs the older one too.
    private static func upgradeText(from found: Int, _ installed: [Int]) -> String {
        guard let newest = installed.max(), newest > found else { return "" }
        return ". With both, `afterword upgrade` carries the data over to PostgreSQL \(newest)"
    }

    private static func installedText(_ majors: [Int]) -> String {
        majors.isEmpty ? "none is installed" : "only \(list(majors)) is installed"
    }
}
