import Foundation

/// The `lstat` data of a path, or of an open file. Links are not followed.
struct FileStatus {
    let owner: uid_t
    let isFolder: Bool
    let permissions: mode_t
    let size: Int

    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(descriptor: CInt) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        owner = status.st_uid
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        permissions = status.st_mode & 0o777
        size = Int(status.st_size)
    }

    /// Whether the permissions of a folder and of all folders above it let every user enter.
    ///
    /// - Parameter path: Absolute and without links.
    static func isOpenToAll(_ path: String) -> Bool {
        var reached = ""
        for part in path.split(separator: "/") {
            reached += "/" + part
            guard let status = FileStatus(reached), status.isFolder, status.permissions & 0o111 == 0o111 else {
                return false
            }
        }
        return true
    }
}
