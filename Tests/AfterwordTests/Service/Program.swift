import Foundation
import TestSupport

/// The built program, run as a user would run it.
enum Program {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String

        /// The message on the standard error, without the help that follows a misuse.
        var sentence: String { String(errors.prefix { $0 != "\n" }) }
    }

    /// The program beside the test bundle.
    static var path: String {
        let runner =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: runner).deletingLastPathComponent().appendingPathComponent("afterword").path
    }

    /// Where programs write their coverage; nil if none is measured. A program that is killed while it writes leaves a
    /// broken file. `swift test` would fail without any message if such a file were beside those of the tests.
    /// `scripts/coverage` reads this folder.
    private static let coverageFolder: String? = {
        guard let file = ProcessInfo.processInfo.environment["LLVM_PROFILE_FILE"] else { return nil }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().appendingPathComponent("programs")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }()

    /// An environment without variables of Afterword or libpq, so that only a test's own are set.
    static func environment(_ more: [String: String]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("AFTERWORD_") && !$0.key.hasPrefix("PG")
        }
        if let coverageFolder { environment["LLVM_PROFILE_FILE"] = coverageFolder + "/%p.profraw" }
        return environment.merging(more) { $1 }
    }

    /// Runs the program and waits for its end.
    ///
    /// - Parameter program: another program, such as a shell that runs this one.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = "", program: String = Program.path
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let process = try ChildProcess(
            [program] + arguments, environment: Self.environment(environment),
            input: try folder.write(input, to: "in"), output: folder / "out", errors: folder / "err")
        let status = await process.status
        return Outcome(
            status: status, output: try String(contentsOfFile: folder / "out", encoding: .utf8),
            errors: try String(contentsOfFile: folder / "err", encoding: .utf8))
    }
}
