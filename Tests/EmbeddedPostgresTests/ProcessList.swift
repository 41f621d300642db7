import Foundation

@testable import EmbeddedPostgres

enum ProcessList {
    /// The pid of a process of `owner` with exactly these arguments, each terminated by a zero byte.
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
