import TestSupport

extension AccessMatrix {
    /// One's own account, tokens, and what admins do.
    static let accountsRows: [String: AccessRow] = [:]
}
