import TestSupport

extension AccessMatrix {
    /// Event streams and their tickets.
    static let liveRows: [String: AccessRow] = [:]
}
