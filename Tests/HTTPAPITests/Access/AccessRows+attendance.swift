import TestSupport

extension AccessMatrix {
    /// Check-in, attendees, people.
    static let attendanceRows: [String: AccessRow] = [:]
}
