import Foundation
import StrictJSON

/// Workbooks as other people's readers see them: Python with what `scripts/setup test` has installed.
public enum PythonReader {
    /// What a script makes of a workbook; the script finds it at `path` and leaves its answer in `result`.
    public static func read(_ file: [UInt8], as script: String) async throws -> JSONValue {
        try await read([file], as: script)
    }

    /// What a script makes of several, which stand at `paths`; starting Python costs more than reading.
    public static func read(_ files: [[UInt8]], as script: String) async throws -> JSONValue {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("read-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let answer = folder.appendingPathComponent("answer").path
        let paths = files.indices.map { folder.appendingPathComponent("table\($0).xlsx").path }
        for (file, path) in zip(files, paths) { try Data(file).write(to: URL(fileURLWithPath: path)) }
        let whole = """
            import json, sys
            answer, *paths = sys.argv[1:]
            path = paths[0]
            \(script)
            json.dump(result, open(answer, "w"), default=str)
            """
        try await Command.run(
            [try IndependentCheck.python, "-c", whole, answer] + paths, log: folder.appendingPathComponent("log").path)
        return try JSONValue.parse(try Data(contentsOf: URL(fileURLWithPath: answer)))
    }
}
