import Foundation

/// A folder of one test with a short path, open to the user who runs a private cluster; gone with its last user.
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

    /// Empty when there is no such file.
    public func read(_ name: String) -> String { (try? String(contentsOfFile: self / name, encoding: .utf8)) ?? "" }

    public func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self / name))
        return self / name
    }

    /// Where such folders and those of servers are: in memory, if the machine has one with room for all databases at once
    /// where programs may run as well, since each database is made of hundreds of files. Not NSTemporaryDirectory: the path
    /// of a socket has to stay short.
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
