import Foundation

/// A folder of one test with a short path, open to the user who runs a private cluster; gone with its last user.
final class TemporaryFolder: Sendable {
    struct Failure: Error {}

    let path: String

    init() throws {
        var template = Array("/tmp/aw-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    static func / (folder: TemporaryFolder, name: String) -> String { "\(folder.path)/\(name)" }

    /// Empty when there is no such file.
    func read(_ name: String) -> String { (try? String(contentsOfFile: self / name, encoding: .utf8)) ?? "" }

    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self / name))
        return self / name
    }
}
