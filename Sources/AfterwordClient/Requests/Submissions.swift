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
    /// What a participant needs to answer, by the form's code, or by its join code while it is open.
    public func form(_ code: String) async throws -> PublicForm {
        try await call(.publicForm, code).value()
    }

    /// Sends one participant's answers; when this returns, they are stored.
    ///
    /// ```swift
    /// try await afterword.submit(["pace": 4, "topics": ["demo"], "better": "More time"], to: form.code, device: key)
    /// ```
    ///
    /// - Parameters:
    ///   - answers: by the keys of their questions.
    ///   - code: the form's.
    ///   - version: the version of the form that was answered; the newest if it is nil.
    ///   - device: needed where the form's `identity` is `device`; welcome nowhere else.
    ///   - key: kept by an app that wants to send the same submission again after it was ended itself.
    @discardableResult
    public func submit(
        _ answers: [String: Answer], to code: String, version: Int? = nil, device: DeviceKey? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> SubmissionReceipt {
        try await submit(answers, to: code, version: version, respondent: device?.description, key: key)
    }

    /// Sends the answers of the person whose personal link has this token.
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

    /// What was sent, to whoever has the receipt.
    public func submission(_ receipt: SubmissionReceipt, of code: String) async throws -> Tagged<Submission> {
        try await call(.getSubmission, code, receipt.id, as: .receipt(receipt.receipt)).tagged()
    }

    /// Replaces all answers of a submission, while the form is open.
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

    /// Takes a submission back, while the form is open; where one answers once, for good.
    public func withdraw(_ receipt: SubmissionReceipt, of code: String) async throws {
        _ = try await call(.withdrawSubmission, code, receipt.id, as: .receipt(receipt.receipt))
    }
}
