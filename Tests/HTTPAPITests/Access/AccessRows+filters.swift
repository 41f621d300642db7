import TestSupport

extension AccessMatrix {
    /// Filtered results, cross-tabs, and the alpha of a grid, which the meeting's form does not have.
    static let filtersRows: [String: AccessRow] = [
        "GET /v1/meetings/{id}/results/crosstab": .viewers(200).with(query: "rows=pace&columns=topics"),
        "GET /v1/meetings/{id}/results/alpha": .viewers(422).with(query: "grid=course"),
    ]
}
