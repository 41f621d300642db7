import Foundation

/// When people may check in to a meeting, and who is late. It compares instants, so that neither midnight nor daylight
/// saving time can shift it.
public struct CheckInWindow: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case early, open, over
    }

    /// The seconds before the start at which it opens.
    public static let lead = 3600.0

    public var startsAt: Date?
    public var endsAt: Date?
    public var lateAfterMinutes: Int

    public init(startsAt: Date?, endsAt: Date?, lateAfterMinutes: Int) {
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.lateAfterMinutes = lateAfterMinutes
    }

    /// From an hour before the start until the end, exclusive; always, for an undated meeting.
    public func state(at now: Date) -> State {
        if let startsAt, now < startsAt.addingTimeInterval(-Self.lead) { return .early }
        if let endsAt, now >= endsAt { return .over }
        return .open
    }

    /// The last moment in time counts as present; nobody is late for an undated meeting.
    public func status(at now: Date) -> AttendanceStatus {
        guard let startsAt else { return .present }
        return now > startsAt.addingTimeInterval(Double(lateAfterMinutes) * 60) ? .late : .present
    }
}
