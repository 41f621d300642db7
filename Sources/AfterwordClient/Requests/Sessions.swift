import Contract

extension Endpoint {
    static let createSession = Endpoint("POST", "/v1/sessions")
    static let currentSession = Endpoint("GET", "/v1/sessions/current")
    static let confirmSession = Endpoint("PUT", "/v1/sessions/current")
    static let endCurrentSession = Endpoint("DELETE", "/v1/sessions/current")

    static let sessions = [createSession, currentSession, confirmSession, endCurrentSession]
}

extension Afterword {
    /// Signs in with an address and a password. Throws ``AfterwordProblem/Code/invalidCredentials`` if they don't
    /// match.
    public func signIn(email: String, password: String) async throws -> Host {
        let session = try await call(.createSession, body: .json(SessionRequest(email: email, password: password)))
            .value(Session.self)
        return Host(connection: connection, token: session.token, session: session)
    }
}

extension Afterword.Host {
    /// The session of the token. Throws if the token is invalid.
    public func currentSession() async throws -> CurrentSession {
        try await call(.currentSession).value()
    }

    /// Confirms the session with the account's password. Continue with the returned host, because the session's token
    /// is replaced: the previous one ends after ten seconds.
    ///
    /// Some actions throw ``AfterwordProblem/Code/reauthenticationRequired`` if the last sign-in or confirmation was
    /// more than 15 minutes ago: creating an API token, ending another session, deleting the account, transferring a
    /// series, and some actions of an admin. API tokens need no confirmation.
    public func confirm(password: String) async throws -> Afterword.Host {
        let session = try await call(.confirmSession, body: .json(SessionConfirmation(password: password)))
            .value(Session.self)
        return Afterword.Host(connection: connection, token: session.token, session: session)
    }

    /// Ends the session or revokes the API token.
    ///
    /// Succeeds if the response was lost and the token is already invalid.
    public func signOut() async throws {
        do {
            _ = try await call(.endCurrentSession)
        } catch AfterwordError.uncertain(let problem) where problem.code == .unauthorized {
            return
        }
    }
}
