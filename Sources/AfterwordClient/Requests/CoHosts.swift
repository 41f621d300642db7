import Contract

extension Endpoint {
    static let listHosts = Endpoint("GET", "/v1/series/{id}/hosts")
    static let addHost = Endpoint("POST", "/v1/series/{id}/hosts", .harmless)
    static let removeHostByAddress = Endpoint("DELETE", "/v1/series/{id}/hosts")
    static let removeHost = Endpoint("DELETE", "/v1/series/{id}/hosts/{accountId}")
    static let transferSeries = Endpoint("POST", "/v1/series/{id}/transfer")

    static let coHosts = [listHosts, addHost, removeHostByAddress, removeHost, transferSeries]
}

/// What a co-host may do.
public enum CoHostRole: String, Sendable, CaseIterable {
    /// Everything but to give the series away, to delete it and to choose its hosts.
    case editor
    /// To look at it and its results.
    case viewer
}

extension Afterword.Host {
    /// Who works on a series, its owner among them; for its owner.
    public func hosts(of series: ResourceID) -> Pages<CoHost> {
        Pages { cursor, limit in
            try await call(.listHosts, series, query: ["limit": limit.map(String.init), "cursor": cursor]).value()
        }
    }

    /// Lets another account work on a series, or changes what it may do there.
    @discardableResult
    public func addHost(_ email: String, as role: CoHostRole, to series: ResourceID) async throws -> CoHost {
        try await call(.addHost, series, body: .json(CoHostRequest(email: email, role: role.rawValue))).value()
    }

    public func removeHost(_ account: ResourceID, from series: ResourceID) async throws {
        _ = try await call(.removeHost, series, account)
    }

    public func removeHost(_ email: String, from series: ResourceID) async throws {
        _ = try await call(.removeHostByAddress, series, body: .json(CoHostAddress(email: email)))
    }

    /// Gives a series to another account; its owner until now stays as an editor.
    ///
    /// - Parameter allowOverlap: whether its rounds may meet the new owner's own meetings.
    @discardableResult
    public func transfer(
        _ series: ResourceID, to email: String, allowOverlap: Bool = false, matching tag: ETag? = nil
    ) async throws -> Tagged<Series> {
        try await call(
            .transferSeries, series,
            body: .json(TransferRequest(email: email, allowOverlap: allowOverlap ? true : nil)), matching: tag
        ).tagged()
    }
}
