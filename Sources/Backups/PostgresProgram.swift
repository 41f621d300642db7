import CMemoryFile
import Foundation
import Postgres
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// `pg_dump` or `pg_restore`, connected to a database.
struct PostgresProgram: Sendable {
    let name: String
    let path: String
    let major: Int

    /// Finds the oldest version of the program that is new enough. A newer version writes settings that an older server
    /// does not support.
    ///
    /// - Parameters:
    ///   - roots: Folders that contain `MAJOR/bin`.
    ///   - search: Folders in the format of `PATH`, which are searched if no folder in `roots` is suitable.
    static func find(
        _ name: String, atLeast major: Int, roots: [String] = ["/usr/lib/postgresql"],
        search: String
    ) async throws(BackupError) -> PostgresProgram {
        var candidates: [PostgresProgram] = []
        for root in roots {
            for folder in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
                let path = "\(root)/\(folder)/bin/\(name)"
                guard let version = Int(folder), access(path, X_OK) == 0 else { continue }
                candidates.append(PostgresProgram(name: name, path: path, major: version))
            }
        }
        if !candidates.contains(where: { $0.major >= major }) {
            for folder in search.split(separator: ":") where folder.hasPrefix("/") {
                let path = "\(folder)/\(name)"
                guard access(path, X_OK) == 0, let version = await version(of: path) else { continue }
                candidates.append(PostgresProgram(name: name, path: path, major: version))
            }
        }
        let suitable = candidates.filter { $0.major >= major }.min { $0.major < $1.major }
        guard let suitable else {
            throw .programMissing(program: name, major: major, found: Set(candidates.map(\.major)).sorted())
        }
        return suitable
    }

    /// Parses output such as `pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
    private static func version(of path: String) async -> Int? {
        let result = try? await Subprocess.run(
            .path(FilePath(path)), arguments: ["--version"], output: .string(limit: 4096), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        let number = result.standardOutput.split(separator: " ").first { $0.first?.isNumber == true }
        return number.flatMap { Int($0.prefix(while: \.isNumber)) }
    }

    /// Runs the program and passes on its output.
    ///
    /// - Parameter consume: Called with the parts of the standard output, in order.
    func run(
        _ arguments: [String], url: String, output consume: (ArraySlice<UInt8>) throws -> Void
    ) async throws {
        try await withConfiguration(arguments, url: url) { configuration in
            let result = try await Subprocess.run(
                configuration, input: .none, output: .sequence, error: .string(limit: 1 << 20)
            ) { execution in
                for try await buffer in execution.standardOutput {
                    try buffer.withUnsafeBytes { try consume(ArraySlice($0)) }
                }
            }
            try check(result.terminationStatus, result.standardError)
        }
    }

    /// Runs the program with input.
    ///
    /// - Parameters:
    ///   - options: Settings of the connection, in place of those in `PGOPTIONS`.
    ///   - produce: Returns the next part of the standard input, or nil at its end.
    func run(
        _ arguments: [String], url: String, options: String, input produce: () throws -> [UInt8]?
    ) async throws {
        try await withConfiguration(arguments, url: url, options: options) { configuration in
            let result = try await Subprocess.run(
                configuration, input: .inputWriter, output: .discarded, error: .string(limit: 1 << 20)
            ) { execution in
                let writer = execution.standardInputWriter
                do {
                    while let part = try produce() { _ = try await writer.write(part) }
                } catch is SubprocessError {
                    // The program ended early, for a reason that it printed.
                }
                try? await writer.finish()
            }
            try check(result.terminationStatus, result.standardError)
        }
    }

    private func withConfiguration(
        _ arguments: [String], url: String, options: String? = nil, _ body: (Configuration) async throws -> Void
    ) async throws {
        let service = memory_file("afterword-service")
        guard service >= 0 else { throw BackupError.programFailed(program: name, reason: "no file in memory") }
        let descriptor = FileDescriptor(rawValue: service)
        do {
            try descriptor.writeAll(ServiceFile(url: url).text.utf8)
            var platform = PlatformOptions()
            // Ctrl-C reaches only this process, which then terminates the program.
            platform.createSession = true
            platform.teardownSequence = [
                .gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: .seconds(2))
            ]
            // The program inherits settings such as PGOPTIONS.
            var environment = Environment.inherit.updating([
                "PGSERVICEFILE": "/proc/\(getpid())/fd/\(service)", "PGSERVICE": ServiceFile.name, "LC_ALL": "C",
                "AFTERWORD_DATABASE_URL": nil,
            ])
            if let options { environment = environment.updating(["PGOPTIONS": options]) }
            try await body(
                Configuration(
                    executable: .path(FilePath(path)), arguments: Arguments(["--no-password"] + arguments),
                    environment: environment, workingDirectory: "/", platformOptions: platform))
            try descriptor.close()
        } catch {
            try? descriptor.close()
            if Task.isCancelled { throw BackupError.interrupted }
            if let error = error as? SubprocessError {
                throw BackupError.programFailed(program: name, reason: error.description)
            }
            throw error
        }
    }

    private func check(_ status: TerminationStatus, _ errors: String) throws(BackupError) {
        guard !status.isSuccess else { return }
        if Task.isCancelled { throw .interrupted }
        // "pg_dump: error: …"; later lines have details, which may quote a row.
        let lines = errors.split(separator: "\n")
        let line = lines.first { $0.contains("error:") } ?? lines.first ?? "it ended without a message"
        throw .programFailed(program: name, reason: String(line.prefix(300)))
    }
}
