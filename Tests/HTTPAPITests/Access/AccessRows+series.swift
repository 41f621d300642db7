import TestSupport

extension AccessMatrix {
    /// Series, co-hosts, roster.
    static let seriesRows: [String: AccessRow] = [:]
}
