import Contract

extension Endpoint {
    static let getResults = Endpoint("GET", "/v1/meetings/{id}/results")
    static let listTexts = Endpoint("GET", "/v1/meetings/{id}/results/{key}/answers")

    static let results = [getResults, listTexts]
}

extension Afterword.Host {
    /// A form's current results.
    public func results(of meeting: ResourceID) async throws -> Tagged<Results> {
        try await call(.getResults, meeting).tagged()
    }

    /// Fetches the results again. Returns the same value if nothing has changed.
    public func refresh(_ results: Tagged<Results>) async throws -> Tagged<Results> {
        let reply = try await call(.getResults, results.value.meetingId, unlessMatching: results.tag)
        return reply.status == 304 ? results : try reply.tagged()
    }

    /// The answers to a text question, newest first.
    ///
    /// - Parameters:
    ///   - query: Only answers that contain this text.
    ///   - hidden: Lists only hidden answers, for example to unhide one.
    public func texts(
        of meeting: ResourceID, question: String, query: String? = nil, hidden: Bool = false
    ) -> Pages<TextAnswer> {
        pages(.listTexts, meeting, question, query: ["q": query, "hidden": hidden ? "true" : nil])
    }
}
