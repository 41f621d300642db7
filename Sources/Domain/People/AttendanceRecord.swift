/// One person's attendance over all rounds that have ended or that the person attended.
public struct AttendanceRecord: Sendable, Equatable {
    public private(set) var present = 0
    public private(set) var late = 0
    public private(set) var absent = 0
    /// The number of consecutive rounds that the person attended, up to the newest round.
    public private(set) var currentStreak = 0
    public private(set) var longestStreak = 0

    public var attended: Int { present + late }

    /// - Parameter rounds: The statuses from the oldest to the newest round. Nil if the person was not on the attendee
    ///   list, which ends a streak but is not an absence.
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

/// The status of a person on an attendee list. `absent` is never stored: a stored `expected` counts as `absent` once
/// the meeting has ended.
public enum AttendanceStatus: String, Sendable, CaseIterable {
    case expected, present, late, absent

    public var attended: Bool { self == .present || self == .late }
}
