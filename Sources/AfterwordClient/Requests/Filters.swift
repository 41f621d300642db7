import Contract

extension Endpoint {
    static let getCrossTab = Endpoint("GET", "/v1/meetings/{id}/results/crosstab")

    static let filters = [getCrossTab]
}

extension Afterword.Host {
    /// A form's results, only of the submissions that meet a condition such as `"pace:4"`.
    ///
    /// - Parameter more: further ones that they meet too; an anonymous form takes none.
    public func results(
        of meeting: ResourceID, where condition: String, _ more: String...
    ) async throws -> Tagged<FilteredResults> {
        try await results(of: meeting, where: [condition] + more)
    }

    /// The same with the conditions of a list, all of which are met; everything where it is empty.
    public func results(of meeting: ResourceID, where conditions: [String]) async throws -> Tagged<FilteredResults> {
        guard !conditions.isEmpty else {
            let all = try await results(of: meeting)
            let results = FilteredResults(
                results: all.value, conditions: [], total: all.value.submissions, partial: nil)
            return Tagged(results, tag: all.tag)
        }
        return try await call(.getResults, meeting, query: Query("where", conditions)).tagged()
    }

    /// Two questions against each other: for each bucket of one, how many of its people chose what of the other.
    public func crossTab(
        of meeting: ResourceID, rows: String, columns: String
    ) async throws -> Tagged<CrossTab> {
        try await call(.getCrossTab, meeting, query: ["rows": rows, "columns": columns]).tagged()
    }
}
