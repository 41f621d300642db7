import Foundation

/// The period in which people may check in to a meeting, and the time after which they are late. Instants are compared,
/// so that neither midnight nor daylight saving time shifts the window.
public struct CheckInWindow: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case early, open, over
    }

    /// The number of seconds before the start at which the check-in opens.
    public static let lead = 3600.0

    public var startsAt: Date?
    public var endsAt: Date?
    public var lateAfterMinutes: Int

    public init(startsAt: Date?, endsAt: Date?, lateAfterMinutes: Int) {
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.lateAfterMinutes = lateAfterMinutes
    }

    /// The check-in is open from an hour before the start until the end, which is excluded. For an undated meeting it
    /// is always open.
    public func state(at now: Date) -> State {
        if let startsAt, now < startsAt.addingTimeInterval(-Self.lead) { return .early }
        if let endsAt, now >= endsAt { return .over }
        return .open
    }

    /// A person who checks in exactly `lateAfterMinutes` after the start is still present. Nobody is late for an
    /// undated meeting.
    public func status(at now: Date) -> AttendanceStatus {
        guard let startsAt else { return .present }
        return now > startsAt.addingTimeInterval(Double(lateAfterMinutes) * 60) ? .late : .present
    }
}
