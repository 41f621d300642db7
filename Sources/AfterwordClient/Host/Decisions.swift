import Contract

extension Endpoint {
    static let getDecisions = Endpoint("GET", "/v1/meetings/{id}/decisions")
    static let setDecisions = Endpoint("PUT", "/v1/meetings/{id}/decisions")

    static let decisions = [getDecisions, setDecisions]
}

extension Afterword.Host {
    /// What was decided at a meeting, and at the last round before it at which something was decided.
    public func decisions(of meeting: ResourceID) async throws -> Tagged<Decisions> {
        try await call(.getDecisions, meeting).tagged()
    }

    /// Replaces what was decided at a meeting.
    ///
    /// - Parameter tag: The tag of the `Decisions` that were read. ``ETag/any`` replaces those of others as well.
    public func setDecisions(
        of meeting: ResourceID, to items: [Decision], matching tag: ETag
    ) async throws -> Tagged<Decisions> {
        try await call(.setDecisions, meeting, body: .json(DecisionsRequest(items: items)), matching: tag).tagged()
    }
}
