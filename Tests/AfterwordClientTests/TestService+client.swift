import AfterwordClient
import TestSupport
import Testing

extension TestService {
    /// The service as an app uses it.
    var afterword: Afterword { Afterword(url: "http://127.0.0.1:\(anyone.port)") }

    /// The client of the signed-in host.
    var hosting: Afterword.Host { get throws { try typed(host) } }
    var administration: Afterword.Host { get throws { try typed(admin) } }
    var stranger: Afterword.Host { get throws { try typed(other) } }

    private func typed(_ client: HTTPTestClient) throws -> Afterword.Host {
        let token = try #require(client.authorization?.dropFirst("Bearer ".count))
        return afterword.host(token: String(token))
    }
}

/// The problem that `body` throws; nil if it throws none.
func refusal(_ body: () async throws -> Void) async throws -> AfterwordProblem? {
    do {
        try await body()
        return nil
    } catch let problem as AfterwordProblem {
        return problem
    }
}
