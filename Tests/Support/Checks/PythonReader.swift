import Foundation
import StrictJSON

/// Reads workbooks with independent libraries, in Python with the packages that `scripts/setup test` installs.
public enum PythonReader {
    /// Runs a script that reads the workbook at `path` and assigns a value to `result`. Returns the value.
    public static func read(_ file: [UInt8], as script: String) async throws -> JSONValue {
        try await read([file], as: script)
    }

    /// Runs a script that reads the workbooks at `paths`. One run saves time, because Python starts slowly.
    public static func read(_ files: [[UInt8]], as script: String) async throws -> JSONValue {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("read-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let output = folder.appendingPathComponent("output").path
        let paths = files.indices.map { folder.appendingPathComponent("table\($0).xlsx").path }
        for (file, path) in zip(files, paths) { try Data(file).write(to: URL(fileURLWithPath: path)) }
        let program = """
            import json, sys
            output, *paths = sys.argv[1:]
            path = paths[0]
            \(script)
            json.dump(result, open(output, "w"), default=str)
            """
        try await Command.run(
            [try IndependentCheck.python, "-c", program, output] + paths, log: folder.appendingPathComponent("log").path
        )
        return try JSONValue.parse(try Data(contentsOf: URL(fileURLWithPath: output)))
    }
}
