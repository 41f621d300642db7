import Foundation

/// Creates a cluster with the database `afterword`, completely or not at all.
///
/// The cluster is created in a folder with another name and synced to disk once. Then the folder is renamed, so that
/// the remains of an interrupted creation are never mistaken for a cluster.
struct ClusterCreation: Sendable {
    let folder: ClusterFolder
    let user: ClusterUser
    let binaries: PostgresBinaries

    func run() async throws(EmbeddedPostgresError) {
        try await discardStaging()
        try ClusterFolder.makePrivate(folder.staging, for: user)
        try await step(
            "initdb", "initdb",
            [
                "--pgdata=\(folder.staging)", "--username=\(ClusterSettings.superuser)", "--encoding=UTF8",
                "--locale=C.UTF-8", "--auth=peer", "--data-checksums", "--no-instructions", "--no-sync",
            ])
        // Copying the files is quicker than writing all pages to the log. Renaming the database `postgres` would be
        // quicker still, but pg_upgrade could not move it, because every new cluster already has one of its OID.
        try await step(
            "CREATE DATABASE", "postgres", ["--single", "-c", "fsync=off", "-D", folder.staging, "template1"],
            input: "CREATE DATABASE \(ClusterSettings.database) STRATEGY FILE_COPY\n")
        if await !FileSystemSync.run(folder.staging) {
            try await step("initdb --sync-only", "initdb", ["--pgdata=\(folder.staging)", "--sync-only"])
        }
        rmdir(folder.data)
        guard rename(folder.staging, folder.data) == 0 else { throw .unusable(folder.data) }
        let descriptor = open(folder.path, O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 {
            fsync(descriptor)
            close(descriptor)
        }
    }

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
            let fault = lines.last { $0.contains("error:") } ?? lines.last ?? "it ended without output."
            throw .creationFailed(step: name, output: String(fault))
        }
    }

    /// Removes the remains of an interrupted creation. An `initdb` whose service was killed may still be writing to the
    /// folder, so the removal is tried several times.
    private func discardStaging() async throws(EmbeddedPostgresError) {
        for _ in 1...40 {
            guard FileStatus(folder.staging) != nil else { return }
            do {
                try FileManager.default.removeItem(atPath: folder.staging)
            } catch {
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        throw .folderUnusable(path: folder.staging, reason: "the remains of an interrupted creation cannot be removed")
    }
}
