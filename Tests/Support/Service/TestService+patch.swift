extension TestService {
    /// Sends a PATCH request, as the host unless another client is given.
    public func patch(
        _ path: String, _ json: String, match: String? = nil, by client: HTTPTestClient? = nil
    ) async throws -> HTTPTestClient.Response {
        try await (client ?? host).send(
            "PATCH", path, body: Array(json.utf8), headers: match.map { ["If-Match": $0] } ?? [:])
    }
}
