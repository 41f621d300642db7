import Foundation

/// The service's data folder and the paths in it that belong to the private cluster.
///
/// The folder itself and the files directly in it belong to the service; only `run` and the folders of clusters belong
/// to the cluster's user, so that root never writes where that user could have placed a link.
struct ClusterFolder: Sendable {
    /// The absolute path, with all links resolved: a postmaster is recognized by this path.
    let path: String
    /// The name of the cluster's folder. It differs only during an upgrade.
    private(set) var name = "postgres"

    var data: String { path + "/" + name }
    /// The cluster that an upgrade fills, and that takes the place of the former one.
    var upgrading: ClusterFolder { named("postgres.upgrading") }
    /// The former cluster, between the first and the last renaming of an upgrade.
    var replaced: ClusterFolder { named("postgres.replaced") }
    /// The prefix of the folder name of a cluster that is being created. A UUID follows.
    static let stagingPrefix = "postgres.new."
    /// The folders of clusters that are being created, or whose creation was interrupted. Folders that an operator
    /// named similarly are not included.
    var stagings: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { name in
            name.hasPrefix(Self.stagingPrefix)
                && UUID(uuidString: String(name.dropFirst(Self.stagingPrefix.count))) != nil
        }.map { path + "/" + $0 }
    }
    var sockets: String { path + "/run" }
    var log: String { path + "/postgres.log" }
    var lock: String { path + "/afterword.pid" }
    var hostRules: String { path + "/pg_hba.conf" }
    var userMap: String { path + "/pg_ident.conf" }

    /// Resolves the folder at `path`. Returns nil if there is none.
    init?(existing path: String) {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// Returns the folder at `path`, and creates it if it is missing. If root creates it, other users may traverse it,
    /// so that the cluster's user can reach the subfolders.
    static func prepare(_ path: String) throws(EmbeddedPostgresError) -> ClusterFolder {
        if access(path, F_OK) != 0 {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            } catch {
                throw .folderUnusable(path: path, reason: Self.reason(of: error))
            }
            chmod(path, geteuid() == 0 ? 0o711 : 0o700)
        }
        return try requireUsable(path)
    }

    /// Throws unless the folder at `path` contains a cluster. Creates nothing.
    static func require(_ path: String) throws(EmbeddedPostgresError) {
        if access(path, F_OK) != 0, errno == ENOENT {
            throw .folderMissing(path: URL(fileURLWithPath: path).standardizedFileURL.path)
        }
        let folder = try requireUsable(path)
        // If an upgrade was interrupted, the next start renames the replaced cluster back.
        if try folder.major() == nil, try folder.replaced.major() == nil {
            throw .clusterMissing(path: folder.path)
        }
    }

    /// The same data folder with another cluster.
    func named(_ name: String) -> ClusterFolder {
        var other = self
        other.name = name
        return other
    }

    /// Writes the names in the data folder to disk.
    func syncNames() throws(EmbeddedPostgresError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unusable(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .unusable(path) }
    }

    /// Returns the folder at `path`, which must exist and be accessible.
    private static func requireUsable(_ path: String) throws(EmbeddedPostgresError) -> ClusterFolder {
        guard let folder = ClusterFolder(existing: path) else { throw .unusable(path) }
        guard FileStatus(folder.path)?.isFolder == true else {
            throw .folderUnusable(path: path, reason: "it is not a folder")
        }
        guard access(folder.path, R_OK | W_OK | X_OK) == 0 else { throw .unusable(path) }
        return folder
    }

    /// Returns the major version that created the cluster, or nil if there is no cluster yet.
    func major() throws(EmbeddedPostgresError) -> Int? {
        guard let status = FileStatus(data) else { return nil }
        guard status.isFolder else { throw .notACluster(folder: data) }
        let entries: [String]
        do {
            entries = try FileManager.default.contentsOfDirectory(atPath: data)
        } catch {
            throw .folderUnusable(path: data, reason: Self.reason(of: error))
        }
        if entries.isEmpty { return nil }
        guard let text = try? String(contentsOfFile: data + "/PG_VERSION", encoding: .utf8),
            let major = Int(text.prefix { $0.isNumber })
        else {
            throw .notACluster(folder: data)
        }
        return major
    }

    /// Creates the folder `path`, which must not exist, and makes the cluster's user its owner.
    static func makePrivate(_ path: String, for user: ClusterUser) throws(EmbeddedPostgresError) {
        guard mkdir(path, 0o700) == 0 else { throw .unusable(path) }
        try user.own(path)
    }

    private static func reason(of error: any Error) -> String {
        guard let code = (error as? CocoaError)?.code else { return String(describing: error) }
        switch code {
        case .fileReadNoPermission, .fileWriteNoPermission: return "Permission denied"
        case .fileWriteFileExists: return "a part of its path is a file"
        case .fileWriteVolumeReadOnly: return "the volume is read-only"
        case .fileWriteOutOfSpace: return "the disk is full"
        default: return "it cannot be created or read"
        }
    }
}
