import Postgres
import Store

extension TestStore {
    /// Sets the last confirmation of every session to this number of seconds ago. By default, that is too long ago for
    /// dangerous actions.
    public func ageSessions(seconds: Int = 901) async throws {
        try await store.pool.execute(
            "UPDATE token SET confirmed_at = clock_timestamp() - make_interval(secs => \(seconds))")
    }
}

extension HTTPTestClient {
    /// Confirms the client's session.
    public func confirmSession(_ password: String = TestStore.password) async throws -> Response {
        try await put("/v1/sessions/current", json: "{\"password\": \"\(password)\"}")
    }

    /// Confirms the client's session, and returns a client with its new token.
    public func confirmed() async throws -> HTTPTestClient {
        bearing(try await confirmSession().expect(200).string("token"))
    }
}

extension HTTPTestClient.Response {
    /// Whether the password has to be confirmed first.
    public var requiresConfirmation: Bool { status == 403 && problem == "reauthentication-required" }
}
