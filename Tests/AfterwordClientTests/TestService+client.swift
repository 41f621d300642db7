import AfterwordClient
import TestSupport
import Testing

extension TestService {
    /// The service as an app calls it.
    var afterword: Afterword { Afterword(url: "http://127.0.0.1:\(anyone.port)") }

    /// The signed-in host of the tests, by the client.
    var hosting: Afterword.Host { get throws { try typed(host) } }
    var administration: Afterword.Host { get throws { try typed(admin) } }
    var stranger: Afterword.Host { get throws { try typed(other) } }

    private func typed(_ client: HTTPTestClient) throws -> Afterword.Host {
        let token = try #require(client.authorization?.dropFirst("Bearer ".count))
        return afterword.host(token: String(token))
    }
}

/// The problem that `body` ends in; nil when it does not end in one.
func refusal(_ body: () async throws -> Void) async throws -> AfterwordProblem? {
    do {
        try await body()
        return nil
    } catch let problem as AfterwordProblem {
        return problem
    }
}
