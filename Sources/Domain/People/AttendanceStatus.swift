/// The status of a person on a meeting's list. `absent` is never stored: it is `expected` once the meeting has ended.
public enum AttendanceStatus: String, Sendable, CaseIterable {
    case expected, present, late, absent

    public var attended: Bool { self == .present || self == .late }
}
