import Contract

extension Endpoint {
    static let listJoinCodes = Endpoint("GET", "/v1/series/{id}/join-codes")
    static let createJoinCode = Endpoint("POST", "/v1/series/{id}/join-codes", .keyed)
    static let revokeJoinCode = Endpoint("DELETE", "/v1/series/{id}/join-codes/{codeId}")
    static let join = Endpoint("POST", "/v1/join/{code}", .harmless)

    static let joinCodes = [listJoinCodes, createJoinCode, revokeJoinCode, join]
}

extension Afterword {
    /// Enters oneself in the roster of a series; doing it again changes nothing.
    ///
    /// The answer's `code` is told to a new member alone: it is nil where one was there already, and also where an answer
    /// was lost and this is its repetition. The hosts have it on the list of attendees.
    ///
    /// - Parameter code: of an invitation to the series, a `JoinCode`.
    public func join(_ code: String, name: String, email: String) async throws -> Joining {
        try await call(.join, code, body: .json(MemberRequest(name: name, email: email))).value()
    }
}

extension Afterword.Host {
    /// The codes with which people enter a series, newest first.
    public func joinCodes(of series: ResourceID) -> Pages<JoinCode> {
        Pages { cursor, limit in
            try await call(.listJoinCodes, series, query: ["limit": limit.map(String.init), "cursor": cursor]).value()
        }
    }

    public func createJoinCode(
        for series: ResourceID, _ code: JoinCodeRequest = JoinCodeRequest(), key: IdempotencyKey? = nil
    ) async throws -> JoinCode {
        try await call(.createJoinCode, series, body: .json(code), key: key).value()
    }

    /// Ends a code; who has joined by it stays.
    public func revokeJoinCode(_ id: ResourceID, of series: ResourceID) async throws {
        _ = try await call(.revokeJoinCode, series, id)
    }
}
