/// One person over the rounds of a series that count: those that have ended and those they came to.
public struct AttendanceRecord: Sendable, Equatable {
    public private(set) var present = 0
    public private(set) var late = 0
    public private(set) var absent = 0
    /// Rounds in a row up to the newest.
    public private(set) var currentStreak = 0
    public private(set) var longestStreak = 0

    public var attended: Int { present + late }

    /// - Parameter rounds: from the oldest to the newest; nil where the person was not on the list, which ends a streak
    ///   and is no absence.
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
