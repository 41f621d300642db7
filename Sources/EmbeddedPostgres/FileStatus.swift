import Foundation

/// The `lstat` data of a path. Links are not followed.
struct FileStatus {
    let owner: uid_t
    let isFolder: Bool
    let permissions: mode_t
    let size: Int

    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        owner = status.st_uid
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        permissions = status.st_mode & 0o777
        size = Int(status.st_size)
    }
}
