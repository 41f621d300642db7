import Foundation

/// A folder of one test with a short path that the user of a private cluster can access. It is removed with its last
/// reference.
public final class TemporaryFolder: Sendable {
    struct Failure: Error {}

    public let path: String

    public init() throws {
        var template = Array("\(Self.parent)/aw-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public static func / (folder: TemporaryFolder, name: String) -> String { "\(folder.path)/\(name)" }

    /// The content of a file, empty if it does not exist.
    public func read(_ name: String) -> String { (try? String(contentsOfFile: self / name, encoding: .utf8)) ?? "" }

    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self / name))
        return self / name
    }

    /// The parent of these folders and of the servers' folders. It is in memory, because each database consists of
    /// hundreds of files, unless memory lacks the space for all concurrent databases or no programs may run there.
    /// `NSTemporaryDirectory` is not used, because a socket's path has to be short.
    static var parent: String {
        let (folder, neededBytes) = ("/dev/shm", 4 << 30)
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        let mount = mounts.split(separator: "\n").last { $0.contains(" \(folder) tmpfs ") }
        var status = statvfs()
        guard let mount, !mount.contains("noexec"), access(folder, W_OK) == 0, statvfs(folder, &status) == 0,
            Int(status.f_bavail) * Int(status.f_frsize) >= neededBytes
        else { return "/tmp" }
        return folder
    }
}
