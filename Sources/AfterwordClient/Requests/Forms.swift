import Contract
import Foundation

extension Endpoint {
    static let getForm = Endpoint("GET", "/v1/meetings/{id}/form")
    static let putForm = Endpoint("PUT", "/v1/meetings/{id}/form")
    static let publishForm = Endpoint("POST", "/v1/meetings/{id}/form/publish", .idempotent)
    static let closeForm = Endpoint("POST", "/v1/meetings/{id}/form/close", .idempotent)
    static let reopenForm = Endpoint("POST", "/v1/meetings/{id}/form/reopen", .idempotent)
    static let finishForm = Endpoint("POST", "/v1/meetings/{id}/form/finish", .idempotent)

    static let forms = [getForm, putForm, publishForm, closeForm, reopenForm, finishForm]
}

extension Afterword.Host {
    /// A meeting's form, as its host sees it.
    public func form(of meeting: ResourceID) async throws -> Tagged<Form> {
        try await call(.getForm, meeting).tagged()
    }

    /// Replaces a form's definition. A field that is nil gets the API's default.
    ///
    /// Pass the tag of the form that was read. ``ETag/any`` overwrites without a check.
    public func setForm(
        of meeting: ResourceID, to definition: FormBody, matching tag: ETag
    ) async throws -> Tagged<Form> {
        try await call(.putForm, meeting, body: .json(definition), matching: tag).tagged()
    }

    /// Saves the `definition` of a form that was read and changed.
    public func save(_ form: Tagged<Form>) async throws -> Tagged<Form> {
        try await setForm(of: form.value.meetingId, to: form.value.definition, matching: form.tag)
    }

    /// Publishes a form. It accepts answers immediately, or from `opens` on.
    @discardableResult
    public func publish(_ meeting: ResourceID, matching tag: ETag? = nil) async throws -> Tagged<Form> {
        try await call(.publishForm, meeting, matching: tag).tagged()
    }

    /// Closes a form immediately.
    @discardableResult
    public func close(_ meeting: ResourceID, matching tag: ETag? = nil) async throws -> Tagged<Form> {
        try await call(.closeForm, meeting, matching: tag).tagged()
    }

    /// Reopens a form until `closes`, or until it is closed if `closes` is nil.
    @discardableResult
    public func reopen(
        _ meeting: ResourceID, closes: Date? = nil, matching tag: ETag? = nil
    ) async throws -> Tagged<Form> {
        try await call(.reopenForm, meeting, body: .json(Reopening(closes: closes)), matching: tag).tagged()
    }

    /// Makes a form final. It can't be reopened, and the answers of an anonymous form can no longer be linked to
    /// people.
    ///
    /// If the returned form is `finalising`, the service makes it `final` shortly.
    @discardableResult
    public func finish(_ meeting: ResourceID, matching tag: ETag? = nil) async throws -> Tagged<Form> {
        try await call(.finishForm, meeting, matching: tag).tagged()
    }
}
