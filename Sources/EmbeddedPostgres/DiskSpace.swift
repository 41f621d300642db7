import Foundation

/// Checks whether the disk of PostgreSQL's folder has enough free space.
struct DiskSpace: Sendable {
    /// The size of two segments of the write-ahead log, in bytes. With less free space, PostgreSQL may be unable to
    /// recover, and then exits.
    static let neededBytes = 32 << 20

    /// Returns the number of free bytes on the disk of a folder, or nil if it is unknown.
    var freeBytes: @Sendable (_ folder: String) -> Int? = { folder in
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail)) * Int(clamping: status.f_frsize)
    }

    func isShort(in folder: String) -> Bool { freeBytes(folder).map { $0 < Self.neededBytes } ?? false }
}
