import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A program of PostgreSQL's and its arguments.
///
/// It gets an environment of its own: `PGPORT`, `PGOPTIONS` and the service's secrets stay out. It gets a session of
/// its own too, so that Ctrl-C reaches the service, which then stops the cluster in order.
struct Command: Sendable {
    struct Outcome: Sendable {
        let succeeded: Bool
        /// Standard output and error in the order they came.
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

    /// Nil when the program cannot be started or the task is cancelled.
    func run(input: String = "") async -> Outcome? {
        let result = try? await Subprocess.run(
            configuration, input: .string(input), output: .string(limit: 1 << 20), error: .combinedWithOutput)
        guard let result else { return nil }
        return Outcome(succeeded: result.terminationStatus.isSuccess, output: result.standardOutput)
    }
}
