import Foundation

/// A folder of one test with a short path, accessible to the user of a private cluster; removed with its last
/// reference.
public final class TemporaryFolder: Sendable {
    struct Failure: Error {}

    public let path: String

    public init() throws {
        var template = Array("\(Self.place)/aw-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public static func / (folder: TemporaryFolder, name: String) -> String { "\(folder.path)/\(name)" }

    /// Empty if there is no such file.
    public func read(_ name: String) -> String { (try? String(contentsOfFile: self / name, encoding: .utf8)) ?? "" }

    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self / name))
        return self / name
    }

    /// The parent of these folders and of servers: in memory, if that has space for all concurrent databases and allows
    /// running programs, because each database consists of hundreds of files. Not NSTemporaryDirectory, because a
    /// socket's path has to be short.
    static var place: String {
        let (folder, room) = ("/dev/shm", 4 << 30)
        let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
        let mount = mounts.split(separator: "\n").last { $0.contains(" \(folder) tmpfs ") }
        var facts = statvfs()
        guard let mount, !mount.contains("noexec"), access(folder, W_OK) == 0, statvfs(folder, &facts) == 0,
            Int(facts.f_bavail) * Int(facts.f_frsize) >= room
        else { return "/tmp" }
        return folder
    }
}
