import Contract

extension Endpoint {
    static let createSession = Endpoint("POST", "/v1/sessions")
    static let currentSession = Endpoint("GET", "/v1/sessions/current")
    static let endCurrentSession = Endpoint("DELETE", "/v1/sessions/current")

    static let sessions = [createSession, currentSession, endCurrentSession]
}

extension Afterword {
    /// Signs in with an address and its password; a wrong one is ``AfterwordProblem/Code/invalidCredentials``.
    public func signIn(email: String, password: String) async throws -> Host {
        let session = try await call(.createSession, body: .json(SessionRequest(email: email, password: password)))
            .value(Session.self)
        return Host(connection: connection, token: session.token, session: session)
    }
}

extension Afterword.Host {
    /// The session or token that this is, which says that it is good.
    public func currentSession() async throws -> CurrentSession {
        try await call(.currentSession).value()
    }

    /// Ends this session or token.
    ///
    /// Where the answer was lost and the token is no longer good, that is what was wanted.
    public func signOut() async throws {
        do {
            _ = try await call(.endCurrentSession)
        } catch AfterwordError.uncertain(let problem) where problem.code == .unauthorized {
            return
        }
    }
}
