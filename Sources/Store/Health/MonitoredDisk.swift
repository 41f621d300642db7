import BlockingWork
import Foundation

/// The free space of a disk that holds the data folder, PostgreSQL's folder, or both.
///
/// `doctor`, `/metrics` and the admins' health page read it here, so that they use the same bounds.
public struct MonitoredDisk: Sendable, Equatable {
    public enum Content: String, Sendable, CaseIterable {
        case data
        case postgres
    }

    public enum Level: Sendable {
        case enough
        /// There is time to act.
        case low
        /// PostgreSQL may soon be unable to store anything.
        case short
    }

    /// With less free space than this a disk is low.
    public static let lowBytes = 2 << 30
    /// With less free space than this a disk is short: a few segments of the write-ahead log, 16 MiB each, and the
    /// temporary files of a large export or index fill it.
    public static let shortBytes = 256 << 20

    public var contents: [Content]
    /// The folder by which the disk was found.
    public var folder: String
    /// What the service's user can still write.
    public var freeBytes: Int

    public init(contents: [Content], folder: String, freeBytes: Int) {
        self.contents = contents
        self.folder = folder
        self.freeBytes = freeBytes
    }

    public var level: Level {
        switch freeBytes {
        case ..<Self.shortBytes: .short
        case ..<Self.lowBytes: .low
        default: .enough
        }
    }

    /// Reads the disks of the folders. One that cannot be read is left out, and two folders on one disk are one value.
    ///
    /// - Parameters:
    ///   - data: The data folder, which need not exist yet.
    ///   - postgres: The folder of PostgreSQL's files; nil if it is unknown or on another machine.
    public static func read(data: String?, postgres: String?) async -> [MonitoredDisk] {
        // A network file system that does not answer blocks its caller.
        let found = try? await work.run { disks(data: data, postgres: postgres) }
        return found ?? []
    }

    private static let work = BlockingWork("afterword.disks", maximumRunning: 1, maximumWaiting: 8)

    private static func disks(data: String?, postgres: String?) -> [MonitoredDisk] {
        var disks: [(disk: MonitoredDisk, device: UInt64)] = []
        let folders: [(content: Content, folder: String?)] = [
            (.data, data.map { existing($0) }), (.postgres, postgres),
        ]
        for (content, folder) in folders {
            guard let folder, let (freeBytes, device) = space(of: folder) else { continue }
            if let same = disks.firstIndex(where: { $0.device == device }) {
                disks[same].disk.contents.append(content)
            } else {
                disks.append((MonitoredDisk(contents: [content], folder: folder, freeBytes: freeBytes), device))
            }
        }
        return disks.map(\.disk)
    }

    /// The folder, or the nearest one above it that exists.
    private static func existing(_ folder: String) -> String {
        var url = URL(fileURLWithPath: folder).standardizedFileURL
        while url.path != "/", !FileManager.default.fileExists(atPath: url.path) { url.deleteLastPathComponent() }
        return url.path
    }

    private static func space(of folder: String) -> (freeBytes: Int, device: UInt64)? {
        var (space, file) = (statvfs(), stat())
        guard statvfs(folder, &space) == 0, stat(folder, &file) == 0 else { return nil }
        return (Int(clamping: UInt64(space.f_bavail) * UInt64(space.f_frsize)), UInt64(file.st_dev))
    }
}
