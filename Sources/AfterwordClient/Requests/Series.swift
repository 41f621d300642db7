import Contract

extension Endpoint {
    static let listSeries = Endpoint("GET", "/v1/series")
    static let getSeries = Endpoint("GET", "/v1/series/{id}")
    static let editSeries = Endpoint("PATCH", "/v1/series/{id}")
    static let trashSeries = Endpoint("DELETE", "/v1/series/{id}")
    static let restoreSeries = Endpoint("POST", "/v1/series/{id}/restore", .idempotent)
    static let listRounds = Endpoint("GET", "/v1/series/{id}/meetings")
    static let createRound = Endpoint("POST", "/v1/series/{id}/meetings", .keyed)

    static let series = [
        listSeries, getSeries, editSeries, trashSeries, restoreSeries, listRounds, createRound,
    ]
}

extension Afterword.Host {
    /// The series that the account owns or co-hosts, or all series for an admin.
    ///
    /// - Parameters:
    ///   - inTrash: Lists only series in the trash.
    ///   - query: Only series whose title contains this text.
    ///   - order: Newest first if nil.
    public func series(inTrash: Bool = false, query: String? = nil, order: SeriesOrder? = nil) -> Pages<Series> {
        pages(.listSeries, query: ["q": query, "state": inTrash ? "trash" : nil, "order": order?.rawValue])
    }

    public func series(_ id: ResourceID) async throws -> Tagged<Series> {
        try await call(.getSeries, id).tagged()
    }

    @discardableResult
    public func edit(_ series: Tagged<Series>, _ edit: SeriesEdit) async throws -> Tagged<Series> {
        try await editSeries(series.value.id, edit, matching: series.tag)
    }

    @discardableResult
    public func editSeries(
        _ id: ResourceID, _ edit: SeriesEdit, matching tag: ETag
    ) async throws -> Tagged<Series> {
        try await call(.editSeries, id, body: .json(edit), matching: tag).tagged()
    }

    /// Moves a series and its rounds to the trash, which keeps them for 30 days unless the service is configured
    /// otherwise.
    public func trashSeries(_ id: ResourceID, matching tag: ETag? = nil) async throws {
        _ = try await call(.trashSeries, id, matching: tag)
    }

    @discardableResult
    public func restoreSeries(_ id: ResourceID, matching tag: ETag? = nil) async throws -> Tagged<Series> {
        try await call(.restoreSeries, id, matching: tag).tagged()
    }

    /// The rounds of a series, newest first.
    public func rounds(of series: ResourceID) -> Pages<Meeting> {
        pages(.listRounds, series)
    }

    /// Creates the next round. Nil fields are copied from the previous round, except for the times and `allowOverlap`.
    /// The members of the series become expected attendees.
    public func createRound(
        of series: ResourceID, _ round: RoundRequest = RoundRequest(), key: IdempotencyKey? = nil
    ) async throws -> Meeting {
        try await call(.createRound, series, body: .json(round), key: key).value()
    }
}
