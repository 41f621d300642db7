import Contract

extension Endpoint {
    static let listHosts = Endpoint("GET", "/v1/series/{id}/hosts")
    static let addHost = Endpoint("POST", "/v1/series/{id}/hosts", .idempotent)
    static let removeHostByAddress = Endpoint("DELETE", "/v1/series/{id}/hosts")
    static let removeHost = Endpoint("DELETE", "/v1/series/{id}/hosts/{accountId}")
    static let transferSeries = Endpoint("POST", "/v1/series/{id}/transfer")

    static let coHosts = [listHosts, addHost, removeHostByAddress, removeHost, transferSeries]
}

/// The role of a co-host.
public enum CoHostRole: String, Sendable, CaseIterable {
    /// May do everything except transfer and delete the series and manage its hosts.
    case editor
    /// May read the series and its results.
    case viewer
}

extension Afterword.Host {
    /// The owner and the co-hosts of a series. Owner only.
    public func hosts(of series: ResourceID) -> Pages<CoHost> {
        pages(.listHosts, series)
    }

    /// Adds a co-host to a series, or changes the role of one.
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

    /// Transfers a series to another account. The previous owner becomes an editor.
    ///
    /// - Parameter allowOverlap: Whether the rounds may overlap the new owner's meetings.
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
