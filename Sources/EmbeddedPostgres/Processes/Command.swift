import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A program, usually one of PostgreSQL's, and its arguments.
///
/// It runs with a separate environment: `PGPORT`, `PGOPTIONS` and the service's secrets are not passed on. It also runs
/// in a separate session, so that Ctrl-C reaches only the service, which then shuts the cluster down gracefully.
struct Command: Sendable {
    struct Outcome: Sendable {
        let succeeded: Bool
        /// Standard output and error, interleaved in the order of writing.
        let output: String
    }

    let path: String
    let arguments: [String]

    var configuration: Configuration {
        var options = PlatformOptions()
        options.createSession = true
        return Configuration(
            executable: .path(FilePath(path)), arguments: Arguments(arguments),
            environment: .custom(["LC_ALL": "C", "PATH": "/usr/bin:/bin", "TZ": "UTC"]), workingDirectory: "/",
            platformOptions: options)
    }

    /// Runs the program; returns nil if it can't be started or the task is cancelled.
    func run(input: String = "") async -> Outcome? {
        let result = try? await Subprocess.run(
            configuration, input: .string(input), output: .string(limit: 1 << 20), error: .combinedWithOutput)
        guard let result else { return nil }
        return Outcome(succeeded: result.terminationStatus.isSuccess, output: result.standardOutput)
    }
}
