import Foundation

/// Creates a cluster with the database `afterword`, completely or not at all.
///
/// The cluster is created in a folder with another name and synced to disk once. Then the folder is renamed, so that
/// the remains of an interrupted creation are never mistaken for a cluster.
struct ClusterCreation: Sendable {
    let folder: ClusterFolder
    let user: ClusterUser
    let binaries: PostgresBinaries
    /// The path at which the cluster is created. The folder is renamed to `folder.data` when the cluster is complete.
    /// Each creation uses a new path, because the `initdb` of a killed service may still be running, and empties its
    /// folder if it fails.
    private let staging: String

    init(folder: ClusterFolder, user: ClusterUser, binaries: PostgresBinaries) {
        self.folder = folder
        self.user = user
        self.binaries = binaries
        staging = folder.path + "/" + ClusterFolder.stagingPrefix + UUID().uuidString
    }

    func run() async throws(EmbeddedPostgresError) {
        try await Self.discardRemains(in: folder)
        try ClusterFolder.makePrivate(staging, for: user)
        try await step(
            "initdb", "initdb",
            [
                "--pgdata=\(staging)", "--username=\(ClusterSettings.superuser)", "--encoding=UTF8",
                "--locale=C.UTF-8", "--auth=peer", "--data-checksums", "--no-instructions", "--no-sync",
            ])
        // Copying the files is quicker than writing all pages to the log. Renaming the database `postgres` would be
        // quicker still, but pg_upgrade could not move it, because every new cluster already has one with its OID.
        try await step(
            "CREATE DATABASE", "postgres", ["--single", "-c", "fsync=off", "-D", staging, "template1"],
            input: "CREATE DATABASE \(ClusterSettings.database) STRATEGY FILE_COPY\n\(Self.compression)\n")
        if await !FileSystemSync.run(staging) {
            try await step("initdb --sync-only", "initdb", ["--pgdata=\(staging)", "--sync-only"])
        }
        rmdir(folder.data)
        guard rename(staging, folder.data) == 0 else { throw .unusable(folder.data) }
        // If a power failure undid the renaming, the next start would remove the cluster as remains.
        try folder.syncNames()
    }

    /// Compresses page images in the write-ahead log with LZ4, if this PostgreSQL was built with it. LZ4 takes a tenth
    /// of the time of PostgreSQL's own method. Submissions have random ids, so after a checkpoint most of them write
    /// such an image. A single-user backend reads each line as a command.
    private static let compression = """
        DO $$BEGIN IF EXISTS (SELECT FROM pg_settings WHERE name = 'wal_compression' AND 'lz4' = ANY (enumvals)) THEN \
        ALTER DATABASE \(ClusterSettings.database) SET wal_compression = 'lz4'; END IF; END$$
        """

    private func step(
        _ name: String, _ program: String, _ arguments: [String], input: String = ""
    ) async throws(EmbeddedPostgresError) {
        let outcome = await user.command(binaries.path(program), arguments).run(input: input)
        if Task.isCancelled { throw .interrupted }
        guard let outcome else {
            throw .creationFailed(step: name, output: "\(binaries.path(program)) cannot be run.")
        }
        // The single-user backend exits with 0 even when its statement failed.
        let lines = outcome.output.split(separator: "\n")
        if let fault = lines.first(where: { $0.contains("ERROR:") || $0.contains("FATAL:") }) {
            throw .creationFailed(step: name, output: String(fault))
        }
        guard outcome.succeeded else {
            // initdb's last lines report its cleanup. The line before them says what failed.
            let fault =
                lines.last { $0.contains("error:") } ?? lines.last { !$0.hasPrefix("initdb: removing") }
                ?? "it ended without output."
            throw .creationFailed(step: name, output: String(fault))
        }
    }

    /// Removes the remains of an interrupted creation. The `initdb` of a killed service may still be writing to the
    /// folder, so the removal is tried several times.
    static func discardRemains(in folder: ClusterFolder) async throws(EmbeddedPostgresError) {
        var remains: [String] = []
        for _ in 1...40 {
            remains = folder.stagings
            if remains.isEmpty { return }
            do {
                for path in remains { try FileManager.default.removeItem(atPath: path) }
            } catch {
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        throw .folderUnusable(
            path: remains.first ?? folder.path, reason: "the remains of an interrupted creation cannot be removed")
    }
}
