import StrictJSON

/// A meeting, used over HTTP by its host and its participants.
public struct TestMeeting: Sendable {
    public let id: String
    public let seriesID: String
    public let code: String
    public let host: HTTPTestClient
    public let anyone: HTTPTestClient

    /// Decodes the response of `POST /v1/meetings` and throws unless its status is 201.
    public init(created response: HTTPTestClient.Response, host: HTTPTestClient, anyone: HTTPTestClient) throws {
        try response.expect(201)
        id = try response.string("id")
        seriesID = try response.string("seriesId")
        guard let code = response.json?["form"]?["code"]?.string else { throw TestStore.Missing("a code") }
        self.code = code
        self.host = host
        self.anyone = anyone
    }

    public var path: String { "/v1/meetings/\(id)" }
    public var formPath: String { "/v1/forms/\(code)" }
    public var submissionsPath: String { "\(formPath)/submissions" }

    public func form() async throws -> HTTPTestClient.Response { try await host.get("\(path)/form") }

    /// Replaces the form, whatever its current revision.
    public func define(_ json: String) async throws -> HTTPTestClient.Response {
        guard let tag = try await form()["ETag"] else { throw TestStore.Missing("the form's ETag") }
        return try await host.put("\(path)/form", json: json, headers: ["If-Match": tag])
    }

    /// Applies an action to the form, such as `publish`, `close` or `reopen`.
    public func perform(_ verb: String, json: String? = nil) async throws -> HTTPTestClient.Response {
        try await host.post("\(path)/form/\(verb)", json: json)
    }

    public func submit(
        _ answers: String, key: String? = nil, respondent: String? = nil
    ) async throws -> HTTPTestClient.Response {
        try await send("{\"answers\": \(answers)}", key: key, respondent: respondent)
    }

    /// Sends a submission with this complete body.
    public func send(
        _ body: String, key: String? = nil, respondent: String? = nil
    ) async throws -> HTTPTestClient.Response {
        var headers: [String: String] = [:]
        headers["Idempotency-Key"] = key
        headers["Authorization"] = respondent.map { "Respondent \($0)" }
        return try await anyone.post(submissionsPath, json: body, headers: headers)
    }

    public func results() async throws -> HTTPTestClient.Response { try await host.get("\(path)/results") }
}
