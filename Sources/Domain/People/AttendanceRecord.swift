/// One person's attendance over the rounds that count: those that have ended and those the person attended.
public struct AttendanceRecord: Sendable, Equatable {
    public private(set) var present = 0
    public private(set) var late = 0
    public private(set) var absent = 0
    /// The number of consecutive rounds up to the newest.
    public private(set) var currentStreak = 0
    public private(set) var longestStreak = 0

    public var attended: Int { present + late }

    /// - Parameter rounds: From the oldest to the newest; nil if the person was not on the list, which ends a streak
    ///   but is not an absence.
    public init(_ rounds: some Sequence<AttendanceStatus?>) {
        for status in rounds {
            switch status {
            case .present: present += 1
            case .late: late += 1
            case .absent: absent += 1
            case .expected, nil: break
            }
            currentStreak = status?.attended == true ? currentStreak + 1 : 0
            longestStreak = max(longestStreak, currentStreak)
        }
    }
}

/// The status of a person on a meeting's list. `absent` is never stored: it is `expected` once the meeting has ended.
public enum AttendanceStatus: String, Sendable, CaseIterable {
    case expected, present, late, absent

    public var attended: Bool { self == .present || self == .late }
}
