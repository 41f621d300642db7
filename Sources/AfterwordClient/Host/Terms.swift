import Contract

extension Endpoint {
    static let listTerms = Endpoint("GET", "/v1/meetings/{id}/results/{key}/terms")

    static let terms = [listTerms]
}

extension Afterword.Host {
    /// The terms in the answers to a text question, ordered by the number of answers.
    ///
    /// - Parameters:
    ///   - limit: The largest number of terms, from 1 to 200. The service's default is 50.
    ///   - keepingStopWords: Whether to count stop words such as `the`, `그리고` and `的`.
    public func terms(
        of meeting: ResourceID, question: String, limit: Int? = nil, keepingStopWords: Bool = false
    ) async throws -> Terms {
        try await call(
            .listTerms, meeting, question,
            query: ["limit": limit.map(String.init), "stopwords": keepingStopWords ? "keep" : nil]
        ).value()
    }
}
