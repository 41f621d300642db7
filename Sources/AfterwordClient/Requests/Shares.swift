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
    /// The meeting of a share. Throws ``AfterwordProblem/Code/shareEnded`` after the share has expired.
    public func shared(_ token: String) async throws -> SharedMeeting {
        try await call(.getShared, token).value()
    }

    public func sharedResults(_ token: String) async throws -> Tagged<Results> {
        try await call(.sharedResults, token).tagged()
    }

    /// The released answers to a text question, optionally only those that contain `query`.
    public func sharedTexts(_ token: String, question: String, query: String? = nil) -> Pages<ReleasedText> {
        pages(.sharedTexts, token, question, query: ["q": query])
    }
}

extension Afterword.Host {
    /// The shares of a meeting, without their tokens.
    public func shares(of meeting: ResourceID) -> Pages<Share> {
        pages(.listShares, meeting)
    }

    /// Creates a share, a link with which anyone can read a meeting's results until it expires.
    ///
    /// The service sends `token` and `url` only once. They are nil if the first response was lost and the call was
    /// retried.
    public func createShare(
        of meeting: ResourceID, _ share: ShareRequest = ShareRequest(), key: IdempotencyKey? = nil
    ) async throws -> Share {
        try await call(.createShare, meeting, body: .json(share), key: key).value()
    }

    public func revokeShare(_ id: ResourceID, of meeting: ResourceID) async throws {
        _ = try await call(.revokeShare, meeting, id)
    }
}
