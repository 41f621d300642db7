import TestSupport

extension AccessMatrix {
    /// Filtered results and cross-tabs.
    static let filtersRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/crosstab": .sight(200).asking("rows=pace&columns=topics")
    ]
}
