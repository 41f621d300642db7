import Contract

extension Endpoint {
    static let listSessions = Endpoint("GET", "/v1/sessions")
    static let endSession = Endpoint("DELETE", "/v1/sessions/{id}")
    static let listTokens = Endpoint("GET", "/v1/tokens")
    static let createToken = Endpoint("POST", "/v1/tokens", .keyed)
    static let revokeToken = Endpoint("DELETE", "/v1/tokens/{id}")

    static let tokens = [listSessions, endSession, listTokens, createToken, revokeToken]
}

extension Afterword.Host {
    /// The account's sessions, newest first.
    public func sessions() -> Pages<SessionSummary> {
        pages(.listSessions)
    }

    public func endSession(_ id: ResourceID) async throws {
        _ = try await call(.endSession, id)
    }

    /// The account's API tokens, newest first.
    public func tokens() -> Pages<APIToken> {
        pages(.listTokens)
    }

    /// Creates an API token. Requires a session.
    ///
    /// The service sends `token` only once. It is nil if the first response was lost and the call was retried. In that
    /// case, revoke the API token and create another.
    public func createToken(_ token: TokenRequest, key: IdempotencyKey? = nil) async throws -> APIToken {
        try await call(.createToken, body: .json(token), key: key).value()
    }

    public func revokeToken(_ id: ResourceID) async throws {
        _ = try await call(.revokeToken, id)
    }
}
