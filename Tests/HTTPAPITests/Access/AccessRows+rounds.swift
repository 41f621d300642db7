import TestSupport

extension AccessMatrix {
    /// Rounds, times, images, calendar.
    static let roundsRows: [String: AccessRow] = [:]
}
