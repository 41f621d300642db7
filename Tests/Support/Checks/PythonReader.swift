import Foundation
import StrictJSON

/// Reads workbooks with independent libraries: Python with the packages that `scripts/setup test` installs.
public enum PythonReader {
    /// The result of a script for one workbook; the script finds it at `path` and assigns its answer to `result`.
    public static func read(_ file: [UInt8], as script: String) async throws -> JSONValue {
        try await read([file], as: script)
    }

    /// The result of a script for several workbooks, at `paths`; starting Python takes longer than reading.
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
