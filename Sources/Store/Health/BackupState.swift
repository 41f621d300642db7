import Foundation

/// Whether the last backup by `afterword backup` is recent. Backups by other programs are not known.
///
/// `doctor` and the admins' health page judge by this type, so that they never disagree.
public enum BackupState: Sendable, Equatable {
    /// A backup of this age or older is outdated.
    public static let maxDays = 7

    case missing
    case recent(LastBackup, age: TimeInterval)
    case outdated(LastBackup, age: TimeInterval)

    public init(_ last: LastBackup?, now: Date) {
        guard let last else {
            self = .missing
            return
        }
        // The clock of the database may be ahead of this machine's.
        let age = max(0, now.timeIntervalSince(last.finishedAt))
        self = Int(age / 86400) < Self.maxDays ? .recent(last, age: age) : .outdated(last, age: age)
    }

    public var last: LastBackup? {
        switch self {
        case .missing: nil
        case .recent(let last, _), .outdated(let last, _): last
        }
    }

    /// Seconds since the last backup.
    public var age: TimeInterval? {
        switch self {
        case .missing: nil
        case .recent(_, let age), .outdated(_, let age): age
        }
    }

    public var needsBackup: Bool {
        if case .recent = self { false } else { true }
    }
}
