import Contract

extension Endpoint {
    static let listShares = Endpoint("GET", "/v1/meetings/{id}/shares")
    static let createShare = Endpoint("POST", "/v1/meetings/{id}/shares", .keyed)
    static let revokeShare = Endpoint("DELETE", "/v1/meetings/{id}/shares/{shareId}")
    static let getShared = Endpoint("GET", "/v1/shares/{token}")
    static let sharedResults = Endpoint("GET", "/v1/shares/{token}/results")
    static let sharedTexts = Endpoint("GET", "/v1/shares/{token}/results/{key}/answers")

    static let shares = [listShares, createShare, revokeShare, getShared, sharedResults, sharedTexts]
}

extension Afterword {
    /// What a share shows; ``AfterwordProblem/Code/shareEnded`` once it has ended.
    public func shared(_ token: String) async throws -> SharedMeeting {
        try await call(.getShared, token).value()
    }

    public func sharedResults(_ token: String) async throws -> Tagged<Results> {
        try await call(.sharedResults, token).tagged()
    }

    /// The answers to a text question that the host has released.
    public func sharedTexts(_ token: String, question: String, words: String? = nil) -> Pages<ReleasedText> {
        Pages { cursor, limit in
            try await call(
                .sharedTexts, token, question,
                query: ["q": words, "limit": limit.map(String.init), "cursor": cursor]
            ).value()
        }
    }
}

extension Afterword.Host {
    /// The links that show a meeting's results, without what they end in.
    public func shares(of meeting: ResourceID) -> Pages<Share> {
        Pages { cursor, limit in
            try await call(.listShares, meeting, query: ["limit": limit.map(String.init), "cursor": cursor]).value()
        }
    }

    /// Makes a link with which anyone reads a meeting's results until it ends.
    ///
    /// The answer's `token` and `url` are shown once: they are nil where an answer was lost and this is its repetition.
    public func createShare(
        of meeting: ResourceID, _ share: ShareRequest = ShareRequest(), key: IdempotencyKey? = nil
    ) async throws -> Share {
        try await call(.createShare, meeting, body: .json(share), key: key).value()
    }

    public func revokeShare(_ id: ResourceID, of meeting: ResourceID) async throws {
        _ = try await call(.revokeShare, meeting, id)
    }
}
