extension TestMeeting {
    public var livePath: String { "\(path)/results/live" }

    /// A viewer of the live results, as the host unless another client is given.
    public func watch(_ client: HTTPTestClient? = nil, lastEvent: String? = nil, keepsAll: Bool = true)
        -> LiveTestViewer
    {
        var headers: [String: String] = [:]
        headers["Last-Event-ID"] = lastEvent
        return LiveTestViewer(client ?? host, livePath, headers: headers, keepsAll: keepsAll)
    }
}
