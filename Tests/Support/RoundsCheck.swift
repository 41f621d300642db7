import Foundation
import StrictJSON

/// `scripts/check_rounds.py`, which computes results over rounds from single answers with SciPy.
public enum RoundsCheck {
    public struct Report: Sendable {
        public var succeeded: Bool
        /// Every difference, then how many numbers were compared.
        public var lines: [String]
    }

    /// Runs it on a file with this JSON; `arguments` stand around its path.
    public static func run(_ cases: JSONValue, before: [String] = [], after: [String] = []) throws -> Report {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let python = root.appending(path: ".venv/bin/python")
        guard FileManager.default.isExecutableFile(atPath: python.path) else {
            throw TestStore.Missing("\(python.path): run scripts/setup test")
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "rounds-\(UUID()).json")
        try Data(cases.bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = python
        process.arguments =
            ["-W", "ignore", root.appending(path: "scripts/check_rounds.py").path] + before + [file.path] + after
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n").map(String.init)
        return Report(succeeded: process.terminationStatus == 0, lines: lines)
    }
}
