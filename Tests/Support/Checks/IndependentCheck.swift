import Foundation

/// Runs the Python scripts that compute the program's results independently.
public enum IndependentCheck {
    public static let root = Repository.root.path

    /// Python with the packages that `scripts/setup test` installs.
    public static var python: String {
        get throws {
            let python = root + "/.venv/bin/python"
            guard FileManager.default.isExecutableFile(atPath: python) else {
                throw TestStore.Missing("\(python): run scripts/setup test")
            }
            return python
        }
    }

    /// Runs a script of this repository; throws its output if it fails.
    ///
    /// - Parameter input: written to a file whose path becomes the last argument.
    public static func run(_ script: String, _ arguments: [String] = [], input: String? = nil) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("check-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        var command = [try python, "\(root)/\(script)"] + arguments
        if let input {
            let file = folder.appendingPathComponent("input")
            try Data(input.utf8).write(to: file)
            command.append(file.path)
        }
        try await Command.run(command, log: folder.appendingPathComponent("log").path)
    }
}
