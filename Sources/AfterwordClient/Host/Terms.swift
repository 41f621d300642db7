import Contract

extension Endpoint {
    static let listTerms = Endpoint("GET", "/v1/meetings/{id}/results/{key}/terms")

    static let terms = [listTerms]
}

extension Afterword.Host {
    /// The words of the answers to a text question, those in most answers first.
    ///
    /// - Parameters:
    ///   - limit: at most so many terms, 1 to 200; the service's default is 50.
    ///   - keepingStopWords: counts `the`, `그리고`, `的` and their like too.
    public func terms(
        of meeting: ResourceID, question: String, limit: Int? = nil, keepingStopWords: Bool = false
    ) async throws -> Terms {
        try await call(
            .listTerms, meeting, question,
            query: ["limit": limit.map(String.init), "stopwords": keepingStopWords ? "keep" : nil]
        ).value()
    }
}
