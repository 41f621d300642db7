import Contract

extension Endpoint {
    static let shownResults = Endpoint("GET", "/v1/forms/{code}/results")
    static let shownTexts = Endpoint("GET", "/v1/forms/{code}/results/{key}/answers")
    static let releaseTexts = Endpoint("POST", "/v1/meetings/{id}/results/{key}/release", .idempotent)
    static let withholdTexts = Endpoint("POST", "/v1/meetings/{id}/results/{key}/withhold", .idempotent)
    static let hideText = Endpoint("POST", "/v1/meetings/{id}/results/{key}/answers/{answerId}/hide", .idempotent)
    static let unhideText = Endpoint("POST", "/v1/meetings/{id}/results/{key}/answers/{answerId}/unhide", .idempotent)
    static let markText = Endpoint("PUT", "/v1/meetings/{id}/results/{key}/answers/{answerId}/marks")
    static let deleteSubmission = Endpoint("DELETE", "/v1/meetings/{id}/submissions/{submissionId}")

    static let moderation = [
        shownResults, shownTexts, releaseTexts, withholdTexts, hideText, unhideText, markText, deleteSubmission,
    ]
}

extension Afterword {
    /// The results that a form shows to participants. Throws ``AfterwordProblem/Code/resultsNotShown`` if it shows
    /// none.
    ///
    /// - Parameter receipt: The participant's receipt. Required if the form shows results only after a submission.
    public func results(of code: String, receipt: SubmissionReceipt? = nil) async throws -> Tagged<Results> {
        try await call(.shownResults, code, as: receipt.map { .receipt($0.receipt) }).tagged()
    }

    /// The released answers to a text question, in an order that does not reveal their authors, optionally only those
    /// that contain `query`.
    public func texts(
        of code: String, question: String, query: String? = nil, receipt: SubmissionReceipt? = nil
    ) -> Pages<ReleasedText> {
        pages(.shownTexts, code, question, query: ["q": query], as: receipt.map { .receipt($0.receipt) })
    }
}

extension Afterword.Host {
    /// Releases the answers to a text question to everyone who may see the results.
    public func releaseTexts(of meeting: ResourceID, question: String) async throws {
        _ = try await call(.releaseTexts, meeting, question)
    }

    /// Withdraws the release of the answers to a text question.
    public func withholdTexts(of meeting: ResourceID, question: String) async throws {
        _ = try await call(.withholdTexts, meeting, question)
    }

    /// Hides a text answer from pages, terms and exports. Counts are unchanged.
    ///
    /// - Parameter answer: The id of a `TextAnswer`.
    public func hideText(_ answer: ResourceID, of meeting: ResourceID, question: String) async throws {
        _ = try await call(.hideText, meeting, question, answer)
    }

    /// Shows a hidden text answer again.
    ///
    /// - Parameter answer: The id of a `TextAnswer`.
    public func unhideText(_ answer: ResourceID, of meeting: ResourceID, question: String) async throws {
        _ = try await call(.unhideText, meeting, question, answer)
    }

    /// Replaces the star and the tags of a text answer.
    ///
    /// - Parameter answer: The id of a `TextAnswer`.
    public func markText(
        _ answer: ResourceID, of meeting: ResourceID, question: String, starred: Bool, tags: [String] = []
    ) async throws {
        _ = try await call(
            .markText, meeting, question, answer, body: .json(TextMarksRequest(starred: starred, tags: tags)))
    }

    /// Deletes a submission, such as spam. Not available for anonymous forms.
    public func deleteSubmission(_ id: ResourceID, of meeting: ResourceID) async throws {
        _ = try await call(.deleteSubmission, meeting, id)
    }
}
