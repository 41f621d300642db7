import Contract

extension Endpoint {
    static let liveResults = Endpoint("GET", "/v1/meetings/{id}/results/live")

    static let live = [liveResults]
}

extension Afterword.Host {
    /// A form's results now and whenever they change.
    ///
    /// The loop ends with an error when the service was away for longer than `patience`.
    public func liveResults(of meeting: ResourceID, patience: Duration = .seconds(300)) -> LiveResults {
        LiveResults(
            connection, request(.liveResults, [meeting.description]), event: "results", patience: patience)
    }
}
