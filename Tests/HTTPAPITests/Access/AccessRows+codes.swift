import TestSupport

extension AccessMatrix {
    /// QR codes and posters.
    static let codesRows: [String: AccessRow] = [:]
}
