import Foundation

@testable import EmbeddedPostgres

/// The processes that the system lists.
enum ProcessList {
    /// The process of `owner` whose arguments, each closed by a zero, are exactly `arguments`.
    static func pid(of arguments: String, owner: uid_t) throws -> Int32? {
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
            guard let pid = Int32(name), FileStatus("/proc/\(pid)")?.owner == owner,
                FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") == Data(arguments.utf8)
            else { continue }
            return pid
        }
        return nil
    }
}
