import Contract

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Endpoint {
    static let getForm = Endpoint("GET", "/v1/meetings/{id}/form")
    static let putForm = Endpoint("PUT", "/v1/meetings/{id}/form")
    static let publishForm = Endpoint("POST", "/v1/meetings/{id}/form/publish", .harmless)
    static let closeForm = Endpoint("POST", "/v1/meetings/{id}/form/close", .harmless)
    static let reopenForm = Endpoint("POST", "/v1/meetings/{id}/form/reopen", .harmless)
    static let finishForm = Endpoint("POST", "/v1/meetings/{id}/form/finish", .harmless)

    static let forms = [getForm, putForm, publishForm, closeForm, reopenForm, finishForm]
}

extension Afterword.Host {
    /// A meeting's form, as its host sees it.
    public func form(of meeting: ResourceID) async throws -> Tagged<Form> {
        try await call(.getForm, meeting).tagged()
    }

    /// Replaces a form's definition; what is nil in it takes the contract's default.
    ///
    /// The tag is that of the form that was read; ``ETag/any`` overwrites whatever is there.
    public func setForm(
        of meeting: ResourceID, to definition: FormBody, matching tag: ETag
    ) async throws -> Tagged<Form> {
        try await call(.putForm, meeting, body: .json(definition), matching: tag).tagged()
    }

    /// Writes back a form that was read and changed: its `definition` is what is sent.
    public func save(_ form: Tagged<Form>) async throws -> Tagged<Form> {
        try await setForm(of: form.value.meetingId, to: form.value.definition, matching: form.tag)
    }

    /// Lets participants answer, from now on or from the form's `opens`.
    @discardableResult
    public func publish(_ meeting: ResourceID, matching tag: ETag? = nil) async throws -> Tagged<Form> {
        try await call(.publishForm, meeting, matching: tag).tagged()
    }

    /// Takes no more answers, from this moment.
    @discardableResult
    public func close(_ meeting: ResourceID, matching tag: ETag? = nil) async throws -> Tagged<Form> {
        try await call(.closeForm, meeting, matching: tag).tagged()
    }

    /// Takes answers again, until `closes`, or without an end if it is nil.
    @discardableResult
    public func reopen(
        _ meeting: ResourceID, closes: Date? = nil, matching tag: ETag? = nil
    ) async throws -> Tagged<Form> {
        try await call(.reopenForm, meeting, body: .json(Reopening(closes: closes)), matching: tag).tagged()
    }

    /// Takes answers never again; of an anonymous form nobody can tell any more who answered what.
    ///
    /// A form that is still `finalising` becomes `final` by itself.
    @discardableResult
    public func finish(_ meeting: ResourceID, matching tag: ETag? = nil) async throws -> Tagged<Form> {
        try await call(.finishForm, meeting, matching: tag).tagged()
    }
}
