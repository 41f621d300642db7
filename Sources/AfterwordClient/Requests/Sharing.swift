import Contract

extension Endpoint {
    static let shownResults = Endpoint("GET", "/v1/forms/{code}/results")
    static let shownTexts = Endpoint("GET", "/v1/forms/{code}/results/{key}/answers")
    static let releaseTexts = Endpoint("POST", "/v1/meetings/{id}/results/{key}/release", .harmless)
    static let withholdTexts = Endpoint("POST", "/v1/meetings/{id}/results/{key}/withhold", .harmless)
    static let hideText = Endpoint("POST", "/v1/meetings/{id}/results/{key}/answers/{answerId}/hide", .harmless)
    static let unhideText = Endpoint("POST", "/v1/meetings/{id}/results/{key}/answers/{answerId}/unhide", .harmless)
    static let deleteSubmission = Endpoint("DELETE", "/v1/meetings/{id}/submissions/{submissionId}")

    static let moderation = [
        shownResults, shownTexts, releaseTexts, withholdTexts, hideText, unhideText, deleteSubmission,
    ]
}

extension Afterword {
    /// A form's results as its participants may see them; ``AfterwordProblem/Code/resultsNotShown`` where they may not.
    ///
    /// - Parameter receipt: of an own submission, which is needed where results are shown after one.
    public func results(of code: String, receipt: SubmissionReceipt? = nil) async throws -> Tagged<Results> {
        try await call(.shownResults, code, as: receipt.map { .receipt($0.receipt) }).tagged()
    }

    /// The answers to a text question that the host has released, in no order that tells whose they are.
    public func texts(
        of code: String, question: String, words: String? = nil, receipt: SubmissionReceipt? = nil
    ) -> Pages<ReleasedText> {
        Pages { cursor, limit in
            try await call(
                .shownTexts, code, question, query: ["q": words, "limit": limit.map(String.init), "cursor": cursor],
                as: receipt.map { .receipt($0.receipt) }
            ).value()
        }
    }
}

extension Afterword.Host {
    /// Lets whoever may see the results read the answers to a text question.
    public func releaseTexts(of meeting: ResourceID, question: String) async throws {
        _ = try await call(.releaseTexts, meeting, question)
    }

    public func withholdTexts(of meeting: ResourceID, question: String) async throws {
        _ = try await call(.withholdTexts, meeting, question)
    }

    /// Takes a text out of pages, terms and exports; counts stay as they are.
    ///
    /// - Parameter answer: a `TextAnswer`'s id.
    public func hideText(_ answer: ResourceID, of meeting: ResourceID, question: String) async throws {
        _ = try await call(.hideText, meeting, question, answer)
    }

    public func unhideText(_ answer: ResourceID, of meeting: ResourceID, question: String) async throws {
        _ = try await call(.unhideText, meeting, question, answer)
    }

    /// Takes a submission away, as spam; not of anonymous forms.
    public func deleteSubmission(_ id: ResourceID, of meeting: ResourceID) async throws {
        _ = try await call(.deleteSubmission, meeting, id)
    }
}
