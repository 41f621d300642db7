import Contract
import StrictJSON

extension Endpoint {
    static let publicForm = Endpoint("GET", "/v1/forms/{code}")
    static let submit = Endpoint("POST", "/v1/forms/{code}/submissions", .keyed)
    static let getSubmission = Endpoint("GET", "/v1/forms/{code}/submissions/{id}")
    static let correctSubmission = Endpoint("PUT", "/v1/forms/{code}/submissions/{id}")
    static let withdrawSubmission = Endpoint("DELETE", "/v1/forms/{code}/submissions/{id}")

    static let submissions = [publicForm, submit, getSubmission, correctSubmission, withdrawSubmission]
}

extension Afterword {
    /// The form with this code, as participants see it. While the form is open, its join code works too.
    public func form(_ code: String) async throws -> PublicForm {
        try await call(.publicForm, code).value()
    }

    /// Sends one participant's answers. Returns after the service has stored them.
    ///
    /// ```swift
    /// try await afterword.submit(["pace": 4, "topics": ["demo"], "better": "More time"], to: form.code, device: key)
    /// ```
    ///
    /// - Parameters:
    ///   - answers: Answers by question key.
    ///   - code: The form's code.
    ///   - version: The form version that was answered. The newest if nil. Pass the version that people saw, so that an
    ///     answer to one that was still anonymous is refused.
    ///   - device: Required if the form's `identity` is `device`, not allowed otherwise.
    ///   - key: Pass a stored key to send the same submission again after the app was terminated.
    @discardableResult
    public func submit(
        _ answers: [String: Answer], to code: String, version: Int? = nil, device: DeviceKey? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> SubmissionReceipt {
        try await submit(answers, to: code, version: version, respondent: device?.description, key: key)
    }

    /// Sends the answers of an attendee, identified by the token of their personal link.
    @discardableResult
    public func submit(
        _ answers: [String: Answer], to code: String, version: Int? = nil, personalToken: String,
        key: IdempotencyKey? = nil
    ) async throws -> SubmissionReceipt {
        try await submit(answers, to: code, version: version, respondent: personalToken, key: key)
    }

    private func submit(
        _ answers: [String: Answer], to code: String, version: Int?, respondent: String?, key: IdempotencyKey?
    ) async throws -> SubmissionReceipt {
        try await call(
            .submit, code, body: .json(SubmissionRequest(version: version, answers: answers.mapValues(\.json))),
            key: key,
            as: respondent.map { .respondent($0) }
        ).value()
    }

    /// The submission that a receipt belongs to.
    public func submission(_ receipt: SubmissionReceipt, of code: String) async throws -> Tagged<Submission> {
        try await call(.getSubmission, code, receipt.id, as: .receipt(receipt.receipt)).tagged()
    }

    /// Replaces all answers of a submission while the form is open.
    @discardableResult
    public func correct(
        _ receipt: SubmissionReceipt, of code: String, to answers: [String: Answer], version: Int? = nil,
        matching tag: ETag? = nil
    ) async throws -> Tagged<Submission> {
        try await call(
            .correctSubmission, code, receipt.id,
            body: .json(SubmissionRequest(version: version, answers: answers.mapValues(\.json))), matching: tag,
            as: .receipt(receipt.receipt)
        ).tagged()
    }

    /// Withdraws a submission while the form is open. On a once-only form the participant can't answer again.
    public func withdraw(_ receipt: SubmissionReceipt, of code: String) async throws {
        _ = try await call(.withdrawSubmission, code, receipt.id, as: .receipt(receipt.receipt))
    }
}
