import Contract

extension Endpoint {
    static let getCrossTab = Endpoint("GET", "/v1/meetings/{id}/results/crosstab")

    static let getGridAlpha = Endpoint("GET", "/v1/meetings/{id}/results/alpha")

    static let filters = [getCrossTab, getGridAlpha]
}

extension Afterword.Host {
    /// The results of the submissions that match a condition such as `"pace:4"`.
    ///
    /// - Parameter furtherConditions: Conditions that must match too. Anonymous forms allow only one condition.
    public func results(
        of meeting: ResourceID, where condition: String, _ furtherConditions: String...
    ) async throws -> Tagged<FilteredResults> {
        try await results(of: meeting, where: [condition] + furtherConditions)
    }

    /// The results of the submissions that match all conditions, or of all submissions if the list is empty.
    public func results(of meeting: ResourceID, where conditions: [String]) async throws -> Tagged<FilteredResults> {
        guard !conditions.isEmpty else {
            let unfiltered = try await results(of: meeting)
            let results = FilteredResults(
                results: unfiltered.value, conditions: [], total: unfiltered.value.submissions, partial: nil)
            return Tagged(results, tag: unfiltered.tag)
        }
        return try await call(.getResults, meeting, query: Query("where", conditions)).tagged()
    }

    /// The cross-tab of two questions.
    public func crossTab(
        of meeting: ResourceID, rows: String, columns: String
    ) async throws -> Tagged<CrossTab> {
        try await call(.getCrossTab, meeting, query: ["rows": rows, "columns": columns]).tagged()
    }

    /// Cronbach's alpha of a grid of the form.
    public func alpha(of meeting: ResourceID, grid: String) async throws -> Tagged<GridAlpha> {
        try await call(.getGridAlpha, meeting, query: ["grid": grid]).tagged()
    }
}
