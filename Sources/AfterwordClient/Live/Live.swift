import Contract

extension Endpoint {
    static let liveResults = Endpoint("GET", "/v1/meetings/{id}/results/live")
    static let liveFormResults = Endpoint("GET", "/v1/forms/{code}/live")
    static let liveShare = Endpoint("GET", "/v1/shares/{token}/live")
    static let liveMeetings = Endpoint("GET", "/v1/live")

    static let createLiveTicket = Endpoint("POST", "/v1/live-tickets")

    static let live = [liveResults, liveFormResults, liveShare, liveMeetings, createLiveTicket]
}

extension Afterword.Host {
    /// A form's results now and whenever they change.
    ///
    /// The loop ends with an error when the service was away for longer than `patience`.
    public func liveResults(of meeting: ResourceID, patience: Duration = .seconds(300)) -> LiveResults {
        LiveResults(
            connection, try request(.liveResults, [meeting.description]), event: "results", patience: patience)
    }

    /// The counters of all meetings that are on, now and whenever one changes; an admin's are everybody's.
    public func liveMeetings(patience: Duration = .seconds(300)) -> LiveStream<LiveMeetings> {
        LiveStream(connection, try request(.liveMeetings, []), event: "meetings", patience: patience)
    }

    /// What opens this account's streams for a minute where no token can be sent, such as a browser's `EventSource`:
    /// append it as `?ticket=`.
    public func createLiveTicket() async throws -> LiveTicket {
        try await call(.createLiveTicket).value()
    }
}

extension Afterword {
    /// The results that a form shows to participants, now and whenever they change.
    ///
    /// A receipt is needed where the form shows them to those who have answered.
    public func liveResults(
        of code: String, receipt: SubmissionReceipt? = nil, patience: Duration = .seconds(300)
    ) -> LiveResults {
        LiveResults(
            connection,
            try request(.liveFormResults, [code], as: receipt.map { .receipt($0.receipt) }), event: "results",
            patience: patience)
    }

    /// The results behind a share's link, now and whenever they change, until it ends.
    public func liveResults(ofShare token: String, patience: Duration = .seconds(300)) -> LiveResults {
        LiveResults(connection, try request(.liveShare, [token]), event: "results", patience: patience)
    }
}
