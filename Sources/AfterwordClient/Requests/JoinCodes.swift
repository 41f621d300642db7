import Contract

extension Endpoint {
    static let listJoinCodes = Endpoint("GET", "/v1/series/{id}/join-codes")
    static let createJoinCode = Endpoint("POST", "/v1/series/{id}/join-codes", .keyed)
    static let revokeJoinCode = Endpoint("DELETE", "/v1/series/{id}/join-codes/{codeId}")
    static let join = Endpoint("POST", "/v1/join/{code}", .idempotent)

    static let joinCodes = [listJoinCodes, createJoinCode, revokeJoinCode, join]
}

extension Afterword {
    /// Joins the roster of a series. Repeating the call changes nothing.
    ///
    /// The service mails new members the link to their own page, if it can send mail. Otherwise it returns the personal
    /// code, `code`, only to new members and only once. It is nil for an existing member, and if the first response was
    /// lost and the call was retried. Hosts find the personal code in the attendee list.
    ///
    /// - Parameter code: A join code of the series.
    public func join(_ code: String, name: String, email: String) async throws -> Joining {
        try await call(.join, code, body: .json(MemberRequest(name: name, email: email))).value()
    }
}

extension Afterword.Host {
    /// The join codes of a series, newest first.
    public func joinCodes(of series: ResourceID) -> Pages<JoinCode> {
        pages(.listJoinCodes, series)
    }

    public func createJoinCode(
        for series: ResourceID, _ code: JoinCodeRequest = JoinCodeRequest(), key: IdempotencyKey? = nil
    ) async throws -> JoinCode {
        try await call(.createJoinCode, series, body: .json(code), key: key).value()
    }

    /// Revokes a join code. People who joined with it remain members.
    public func revokeJoinCode(_ id: ResourceID, of series: ResourceID) async throws {
        _ = try await call(.revokeJoinCode, series, id)
    }
}
