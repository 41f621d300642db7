import AfterwordClient
import TestSupport
import Testing

extension TestService {
    /// The client of an app that is not signed in.
    var afterword: Afterword { Afterword(url: "http://127.0.0.1:\(anyone.port)") }

    /// The clients of the signed-in host, the admin, and another host.
    var hostClient: Afterword.Host { get throws { try client(host) } }
    var adminClient: Afterword.Host { get throws { try client(admin) } }
    var otherClient: Afterword.Host { get throws { try client(other) } }

    private func client(_ http: HTTPTestClient) throws -> Afterword.Host {
        let token = try #require(http.authorization?.dropFirst("Bearer ".count))
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
