import Foundation

/// `postmaster.pid`, in which a running PostgreSQL reports its identity and its status.
///
/// Its lines: pid, data folder, start time, port, socket folder, listen address, shared memory, status.
struct PostmasterFile: Equatable, Sendable {
    let pid: Int32
    let socketFolder: String
    let isReady: Bool

    init?(in folder: ClusterFolder) {
        self.init(path: Self.path(in: folder))
    }

    /// Reads `postmaster.pid`, or the lock file of a socket, whose first lines are the same.
    init?(path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        self.init(text: text)
    }

    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let pid = Int32(first), pid > 0 else { return nil }
        self.pid = pid
        socketFolder = lines.count > 4 ? String(lines[4]) : ""
        isReady = lines.count > 7 && lines[7].prefix { $0 != " " } == "ready"
    }

    static func path(in folder: ClusterFolder) -> String { folder.data + "/postmaster.pid" }
}
