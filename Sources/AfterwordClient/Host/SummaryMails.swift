import Contract

extension Endpoint {
    static let summaryRecipients = Endpoint("GET", "/v1/meetings/{id}/summary/mail")
    static let mailSummary = Endpoint("POST", "/v1/meetings/{id}/summary/mail", .keyed)

    static let summaryMails = [summaryRecipients, mailSummary]
}

extension Afterword.Host {
    /// How many people would get the summary of a meeting's results.
    public func summaryRecipients(of meeting: ResourceID) async throws -> SummaryRecipients {
        try await call(.summaryRecipients, meeting).value()
    }

    /// Mails a summary of the results to the people on the meeting's list and on the roster, and to the hosts of the
    /// series.
    @discardableResult
    public func mailSummary(of meeting: ResourceID, key: IdempotencyKey? = nil) async throws -> SummaryMailing {
        try await call(.mailSummary, meeting, key: key).value()
    }
}
