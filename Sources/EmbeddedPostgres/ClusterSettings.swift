import Foundation

/// The configuration of the private cluster and the access to it.
///
/// All settings are passed on the command line at each start, so that a folder created by an older service gets the
/// settings of the newer one. There is no network socket. On the Unix socket the kernel identifies the peer, and only
/// the user who runs the service, the user who runs the cluster, and root may connect, as `afterword` or as one of the
/// roles.
struct ClusterSettings: Sendable {
    /// The user for migrations, backups and operators. The service connects as one of the roles, which are not
    /// superusers.
    static let superuser = "afterword"
    static let roles = ["afterword_app", "afterword_owner"]
    static let database = "afterword"
    private static let port = 5432

    let folder: ClusterFolder
    let user: ClusterUser
    let socketFolder: String
    /// Whether transactions are read-only by default.
    var isReadOnly = false

    var arguments: [String] {
        var settings = [
            "listen_addresses=", "port=\(Self.port)", "unix_socket_directories=\(socketFolder)",
            "unix_socket_permissions=0700", "hba_file=\(folder.hostRules)", "ident_file=\(folder.userMap)",
            "max_connections=100", "shared_buffers=128MB", "jit=off", "timezone=UTC",
            "fsync=on", "synchronous_commit=on", "full_page_writes=on", "wal_compression=on", "max_wal_size=2GB",
            "checkpoint_timeout=15min",
            // Recycled segments of the log would keep the answers to anonymous forms, in the order of their arrival.
            "wal_recycle=off",
            // The service logs its own errors; in this log, no statement and no detail may reveal an answer.
            "log_destination=stderr", "logging_collector=off", "log_timezone=UTC", "log_checkpoints=off",
            "log_error_verbosity=terse", "log_min_error_statement=panic", "log_statement=none",
            "log_min_duration_statement=-1", "cluster_name=afterword",
            "default_transaction_read_only=\(isReadOnly ? "on" : "off")",
        ]
        // After a crash, PostgreSQL syncs all files before it recovers. On a busy disk, `syncfs` needs a third of the
        // time.
        if FileSystemSync.isReliable { settings.append("recovery_init_sync_method=syncfs") }
        return ["-D", folder.data] + settings.flatMap { ["-c", $0] }
    }

    static func url(socketFolder: String, user: String = superuser) -> String {
        var host = ""
        for byte in socketFolder.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                host.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                host += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return "postgresql:///\(database)?host=\(host)&port=\(port)&user=\(user)"
    }

    /// Writes the access rules to files that belong to the service and not to the cluster's user.
    func writeAccessRules() throws(EmbeddedPostgresError) {
        let names = Set([user.name, ClusterUser.current.name, "root"]).sorted()
        let map = names.flatMap { name in
            ([Self.superuser] + Self.roles).map { "afterword \"\(name)\" \($0)\n" }
        }.joined()
        for (path, text) in [(folder.hostRules, "local all all peer map=afterword\n"), (folder.userMap, map)] {
            do {
                try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            } catch {
                throw .folderUnusable(path: folder.path, reason: "\(path) cannot be written")
            }
        }
    }
}
