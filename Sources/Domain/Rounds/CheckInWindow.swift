#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// When people may check in to a meeting, and who of them is late: a matter of instants, so that neither midnight nor a
/// change of daylight saving can shift it.
public struct CheckInWindow: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case early, open, over
    }

    /// How long before the start it opens, in seconds.
    public static let lead = 3600.0

    public var startsAt: Date?
    public var endsAt: Date?
    public var lateAfterMinutes: Int

    public init(startsAt: Date?, endsAt: Date?, lateAfterMinutes: Int) {
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.lateAfterMinutes = lateAfterMinutes
    }

    /// From an hour before the start until the end, which is outside; an undated meeting is always open.
    public func state(at now: Date) -> State {
        if let startsAt, now < startsAt.addingTimeInterval(-Self.lead) { return .early }
        if let endsAt, now >= endsAt { return .over }
        return .open
    }

    /// The last moment that is in time belongs to those who are present; nobody is late for an undated meeting.
    public func status(at now: Date) -> AttendanceStatus {
        guard let startsAt else { return .present }
        return now > startsAt.addingTimeInterval(Double(lateAfterMinutes) * 60) ? .late : .present
    }
}
