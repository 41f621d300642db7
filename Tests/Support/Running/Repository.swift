import Foundation

/// The checkout that the tests were built from.
public enum Repository {
    /// The folder of `Package.swift`, at or above the folder of this file.
    public static let root: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/",
            !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        {
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// - Parameter path: The path relative to the root, such as `docs/statistics.md`.
    public static func url(_ path: String) -> URL { root.appendingPathComponent(path) }
}
