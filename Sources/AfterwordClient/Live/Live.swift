import Contract

extension Endpoint {
    static let liveResults = Endpoint("GET", "/v1/meetings/{id}/results/live")
    static let liveFormResults = Endpoint("GET", "/v1/forms/{code}/live")
    static let liveShare = Endpoint("GET", "/v1/shares/{token}/live")
    static let liveMeetings = Endpoint("GET", "/v1/live")

    static let createLiveTicket = Endpoint("POST", "/v1/live-tickets")
    static let showOnStages = Endpoint("POST", "/v1/meetings/{id}/stage", .idempotent)

    static let live = [liveResults, liveFormResults, liveShare, liveMeetings, createLiveTicket, showOnStages]
}

extension Afterword.Host {
    /// A form's results, now and after each change.
    ///
    /// The loop throws if the service is unreachable for longer than `timeout`.
    public func liveResults(of meeting: ResourceID, timeout: Duration = .seconds(300)) -> LiveResults {
        LiveResults(
            connection, try request(.liveResults, [meeting.description]), event: "results", timeout: timeout)
    }

    /// The counters of the current meetings, now and after each change: running meetings, those that start within the
    /// hour, and those with an open form. An admin gets the meetings of all hosts.
    public func liveMeetings(timeout: Duration = .seconds(300)) -> LiveStream<LiveMeetings> {
        LiveStream(connection, try request(.liveMeetings, []), event: "meetings", timeout: timeout)
    }

    /// Creates a ticket, valid for 60 seconds, that opens this account's streams where no bearer token can be sent,
    /// such as in a browser's `EventSource`. Append it as `?ticket=`.
    public func createLiveTicket() async throws -> LiveTicket {
        try await call(.createLiveTicket).value()
    }

    /// Shows a view on all stages of a meeting that are open, within about a second. A stage that is opened later may
    /// begin with it.
    public func show(_ view: StageView, onStagesOf meeting: ResourceID) async throws {
        _ = try await call(.showOnStages, meeting, body: .json(view))
    }
}

extension Afterword {
    /// The results that a form shows to participants, now and after each change.
    ///
    /// A receipt is required if the form shows results only after a submission.
    public func liveResults(
        of code: String, receipt: SubmissionReceipt? = nil, timeout: Duration = .seconds(300)
    ) -> LiveResults {
        LiveResults(
            connection,
            try request(.liveFormResults, [code], as: receipt.map { .receipt($0.receipt) }), event: "results",
            timeout: timeout)
    }

    /// The results behind a share, now and after each change, until the share expires.
    public func liveResults(ofShare token: String, timeout: Duration = .seconds(300)) -> LiveResults {
        LiveResults(connection, try request(.liveShare, [token]), event: "results", timeout: timeout)
    }
}
