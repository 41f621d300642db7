import Foundation
import Subprocess

/// The search for an installed PostgreSQL.
///
/// Debian installs the server's programs outside of PATH, in a folder per major version; listing these folders costs
/// nothing. PATH and `pg_config` are used only when no such folder is suitable.
struct PostgresSearch: Sendable {
    /// Folders that contain `MAJOR/bin`.
    var versionedRoots = ["/usr/lib/postgresql"]
    /// Whether to use `PATH` and `pg_config` too.
    var searchesPath = true

    /// Returns the programs of the major version that created a cluster or, for a new cluster, of the newest one that
    /// is new enough.
    func require(_ wanted: Int?, for folder: ClusterFolder) async throws(EmbeddedPostgresError) -> PostgresBinaries {
        var installed = binariesInVersionedRoots()
        if let match = choose(wanted, from: installed) { return match }
        if searchesPath {
            installed += await binariesOnPath()
            if let match = choose(wanted, from: installed) { return match }
        }
        let majors = Set(installed.map(\.major)).sorted()
        if let wanted, !majors.isEmpty {
            throw .otherMajor(folder: folder.data, found: wanted, installed: majors)
        }
        throw .postgresMissing(needed: wanted ?? PostgresBinaries.oldestMajor, found: majors)
    }

    /// Returns the programs of the newest installed major version, if it is newer than `major`.
    func newest(after major: Int) async -> PostgresBinaries? {
        func newest(_ installed: [PostgresBinaries]) -> PostgresBinaries? {
            installed.filter { $0.major > max(major, PostgresBinaries.oldestMajor - 1) }.max { $0.major < $1.major }
        }
        if let found = newest(binariesInVersionedRoots()) { return found }
        return searchesPath ? newest(await binariesOnPath()) : nil
    }

    private func choose(_ wanted: Int?, from installed: [PostgresBinaries]) -> PostgresBinaries? {
        if let wanted { return installed.first { $0.major == wanted } }
        return installed.filter { $0.major >= PostgresBinaries.oldestMajor }.max { $0.major < $1.major }
    }

    private func binariesInVersionedRoots() -> [PostgresBinaries] {
        versionedRoots.flatMap { root in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
            return names.compactMap { name -> PostgresBinaries? in
                guard let major = Int(name) else { return nil }
                let binaries = PostgresBinaries(folder: "\(root)/\(name)/bin", major: major)
                return Self.isComplete(binaries.folder) ? binaries : nil
            }
        }
    }

    private func binariesOnPath() async -> [PostgresBinaries] {
        var folders: [String] = []
        if let folder = await pathPrinted(by: "pg_config", ["--bindir"]) { folders.append(folder) }
        if let initdb = await pathPrinted(by: "sh", ["-c", "command -v initdb"]), let resolved = realpath(initdb, nil) {
            folders.append(String(String(cString: resolved).dropLast("/initdb".count)))
            free(resolved)
        }
        var found: [PostgresBinaries] = []
        for folder in folders where Self.isComplete(folder) {
            // "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
            let version = await Command(path: folder + "/postgres", arguments: ["--version"]).run()?.output ?? ""
            guard let number = version.split(separator: " ").first(where: { $0.first?.isNumber == true }),
                let major = Int(number.prefix { $0.isNumber })
            else { continue }
            found.append(PostgresBinaries(folder: folder, major: major))
        }
        return found
    }

    private func pathPrinted(by program: String, _ arguments: [String]) async -> String? {
        let result = try? await Subprocess.run(
            .name(program), arguments: Arguments(arguments), output: .string(limit: 4096), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        let line = result.standardOutput.prefix { $0 != "\n" }
        return line.hasPrefix("/") ? String(line) : nil
    }

    private static func isComplete(_ folder: String) -> Bool {
        ["initdb", "postgres"].allSatisfy { access("\(folder)/\($0)", X_OK) == 0 }
    }
}
