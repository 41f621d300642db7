import TestSupport

extension AccessMatrix {
    /// Webhooks and their deliveries.
    static let webhooksRows: [String: AccessRow] = [:]
}
