import TestSupport

extension AccessMatrix {
    /// Filtered results and cross-tabs.
    static let filtersRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/crosstab": .viewers(200).with(query: "rows=pace&columns=topics")
    ]
}
