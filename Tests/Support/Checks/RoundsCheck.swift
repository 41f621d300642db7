import Foundation
import StrictJSON

/// Runs `scripts/python/check_rounds.py`, which computes results over rounds from individual answers with SciPy.
public enum RoundsCheck {
    public struct Report: Sendable {
        public var succeeded: Bool
        /// Every difference, then the number of compared values.
        public var lines: [String]
    }

    /// Runs the script on a file with this JSON. `before` and `after` are arguments before and after the file's path.
    public static func run(
        _ cases: JSONValue, before: [String] = [], after: [String] = []
    ) async throws -> Report {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rounds-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "cases.json")
        try Data(cases.bytes).write(to: file)
        let script = IndependentCheck.root + "/scripts/python/check_rounds.py"
        let (status, output) = try await Command.outcome(
            of: [try IndependentCheck.python, "-W", "ignore", script] + before + [file.path] + after,
            log: folder.appending(path: "log").path)
        return Report(succeeded: status == 0, lines: output.split(separator: "\n").map(String.init))
    }
}
