import Foundation
import Store

/// The part of the health page that shows the last backup, and what to do without a recent one.
struct BackupCard: TemplateValues {
    var facts: [Fact]
    /// Why a backup is needed.
    var alert: String?
    /// The command that makes one.
    var command: String?

    init(
        _ state: BackupState, program: String, dataFolder: String?, _ texts: PageTexts, time: (Date) -> String
    ) {
        let last = state.last
        let values: [(String, String?)] = [
            (
                "last",
                last.map {
                    texts("admin.backup-when", ["time": time($0.finishedAt), "age": Self.age(state, texts)])
                }
            ),
            ("size", last.map { StorageCard.size($0.bytes, in: texts.language) }),
        ]
        facts = values.compactMap { name, value in
            value.map { Fact(label: texts("admin.backup-\(name)"), value: $0) }
        }
        switch state {
        case .recent: break
        case .missing: alert = texts("admin.backup-missing")
        case .outdated: alert = texts("admin.backup-outdated", ["count": "\(BackupState.maxDays)"])
        }
        if state.needsBackup {
            let data = dataFolder.map { " --data \(Self.quoted($0))" } ?? ""
            command = "\(program) backup --to /var/backups/afterword --keep 14\(data)"
        }
    }

    /// The age in hours, from two days on in days.
    private static func age(_ state: BackupState, _ texts: PageTexts) -> String {
        let hours = Int((state.age ?? 0) / 3600)
        return hours < 48
            ? texts("admin.backup-hours", ["count": "\(hours)"])
            : texts("admin.backup-days", ["count": "\(hours / 24)"])
    }

    /// A folder as one word of a shell.
    static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-".utf8.contains(byte)
        }
        return isPlain ? path : "'" + path.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }
}

/// The part of the health page that shows the free space of the disks.
struct DiskCard: TemplateValues {
    var facts: [Fact]
    /// What is low or short.
    var alerts: [String]
    /// Whether the disk of PostgreSQL is unknown, because the server is on another machine or hides its folder.
    var isPostgresUnknown: Bool

    init(_ disks: [MonitoredDisk], _ texts: PageTexts) {
        func size(_ bytes: Int) -> String { StorageCard.size(bytes, in: texts.language) }
        func name(_ disk: MonitoredDisk) -> String {
            texts("admin.disk-\(disk.contents.map(\.rawValue).joined(separator: "-"))")
        }
        facts = disks.map { disk in
            Fact(label: name(disk), value: texts("admin.disk-free", ["size": size(disk.freeBytes)]))
        }
        alerts = disks.compactMap { disk in
            switch disk.level {
            case .enough: nil
            case .low:
                texts("admin.disk-low", ["disk": name(disk), "size": size(MonitoredDisk.lowBytes)])
            case .short:
                texts("admin.disk-short", ["disk": name(disk), "size": size(MonitoredDisk.shortBytes)])
            }
        }
        isPostgresUnknown = !disks.contains { $0.contents.contains(.postgres) }
    }
}
