import HTTPAPI
import HTTPServer
import Hummingbird
import Logging
import Postgres
import Store
import StrictJSON

/// The complete API on a free port over a new store, with two hosts and an admin signed in.
public struct TestService: Sendable {
    public let fixture: TestStore
    /// Without credentials.
    public let anyone: HTTPTestClient
    public let host: HTTPTestClient
    /// A host without series.
    public let other: HTTPTestClient
    public let admin: HTTPTestClient

    /// Creates the responder that handles requests before the API.
    public typealias Site = (API, Store) throws -> any PlainResponder

    /// Runs a test against a fresh service and ends with a recount of every tally.
    public static func run<Value: Sendable>(
        maxWaitingSubmissions: Int = 4096, options: ServiceOptions = ServiceOptions(),
        logger: Logger = TestStore.silentLogger,
        site: Site? = nil, _ body: (TestService) async throws -> Value
    ) async throws -> Value {
        try await TestStore.run(maxWaitingSubmissions: maxWaitingSubmissions) { fixture in
            try await serve(fixture.store, options: options, logger: logger, site: site) { client in
                let other = try await TestStore.account("other@example.org", "Otto Other", .host, in: fixture.store)
                let service = TestService(
                    fixture: fixture, anyone: client,
                    host: client.bearing(try await token(of: fixture.host, in: fixture.store)),
                    other: client.bearing(try await token(of: other, in: fixture.store)),
                    admin: client.bearing(try await token(of: fixture.admin, in: fixture.store)))
                return try await body(service)
            }
        }
    }

    /// Serves one instance of the API over a store while `body` runs.
    public static func serve<Value: Sendable>(
        _ store: Store, options: ServiceOptions = ServiceOptions(), metrics: PrometheusRegistry = PrometheusRegistry(),
        logger: Logger = TestStore.silentLogger, site: Site? = nil, _ body: (HTTPTestClient) async throws -> Value
    ) async throws -> Value {
        let api = try AfterwordAPI.api(store: store, options: options, metrics: metrics, logger: logger)
        return try await LiveServer.run(api, behind: site?(api, store), logger: logger) { client, _ in
            try await body(client)
        }
    }

    /// The token of a new session.
    public static func token(of principal: Principal, in store: Store) async throws -> String {
        try await store.tokens.createSession(for: principal.account).token
    }

    /// A meeting of the host with a draft form; `members` are further fields such as `"headcount": 4`.
    public func meeting(
        _ questions: String = TestStore.questions, members: String = "", by owner: HTTPTestClient? = nil
    ) async throws -> TestMeeting {
        let more = members.isEmpty ? "" : ", " + members
        let host = owner ?? self.host
        let response = try await host.post(
            "/v1/meetings", json: "{\"title\": \"A meeting\", \"questions\": \(questions)\(more)}")
        return try TestMeeting(created: response, host: host, anyone: anyone)
    }

    /// A meeting whose form is open; `settings` are fields of the form such as `"cap": 5`.
    public func openMeeting(
        _ questions: String = TestStore.questions, settings: String? = nil, members: String = ""
    ) async throws -> TestMeeting {
        let meeting = try await meeting(questions, members: members)
        if let settings { try await meeting.define("{\(settings), \"questions\": \(questions)}").expect(200) }
        try await meeting.perform("publish").expect(200)
        return meeting
    }

    public func sql(_ statement: Statement) async throws {
        try await fixture.store.pool.execute(statement)
    }
}

extension HTTPTestClient.Response {
    /// Throws unless the response has this status.
    @discardableResult
    public func expect(_ status: Int) throws -> Self {
        guard self.status == status else {
            throw TestStore.Missing("a \(status), but there was \(self.status): \(text)")
        }
        return self
    }
}
