import TestSupport
import Testing

@testable import AfterwordClient

/// Tests which requests are retried. The responses are scripted.
@Suite(.timeLimit(.minutes(15))) struct Retrying {
    private static let session = """
        {"expiresAt": "2026-11-21T09:30:00Z", "account": {"id": "01020304-0506-0708-090a-0b0c0d0e0fab",
         "email": "a@example.org", "name": "A", "role": "host"}}
        """
    private static let receipt = """
        {"id": "01020304-0506-0708-090a-0b0c0d0e0fab", "receipt": "r", "submittedAt": "2026-11-21T09:30:00Z"}
        """

    private let pauses = Pauses()

    private func client(_ transport: ScriptedTransport, _ policy: RetryPolicy? = nil) -> Afterword {
        Afterword(url: "http://test", transport: transport, retries: policy ?? pauses.policy())
    }

    @Test func busyServiceIsRetriedWithTheSameKeyAndBody() async throws {
        let transport = ScriptedTransport([
            .problem("overloaded", 503, after: "2"), .refuse, .response(201, body: Self.receipt),
        ])
        let receipt = try await client(transport).submit(["pace": 4], to: "code")
        #expect(receipt.receipt == "r")
        let requests = transport.requests
        #expect(requests.count == 3 && Set(requests.map(\.body)).count == 1)
        #expect(Set(requests.map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(requests.first?.headers["Idempotency-Key"] != nil)
        #expect(pauses.durations == [.seconds(2) + .milliseconds(100), .milliseconds(200)])
    }

    @Test func eachCallHasItsOwnKey() async throws {
        let transport = ScriptedTransport([.response(201, body: Self.receipt), .response(201, body: Self.receipt)])
        _ = try await client(transport).submit(["pace": 4], to: "code")
        _ = try await client(transport).submit(["pace": 4], to: "code")
        #expect(Set(transport.requests.map { $0.headers["Idempotency-Key"] }).count == 2)
    }

    @Test(arguments: [502, 503, 504, 408, 429])
    func temporaryFailuresAreRetried(status: Int) async throws {
        let transport = ScriptedTransport([.response(status, body: "busy"), .response(200, body: Self.session)])
        let session = try await client(transport).host(token: "t").currentSession()
        #expect(session.account.name == "A" && transport.requests.count == 2)
    }

    @Test func requestsThatAreNotIdempotentAreNotRetriedAfterALoss() async throws {
        for step in [ScriptedTransport.Step.refuse, .lose, .problem("overloaded", 503)] {
            let transport = ScriptedTransport([step, .response(201)])
            await #expect(throws: (any Error).self) {
                try await client(transport).signIn(email: "a@example.org", password: "x")
            }
            #expect(transport.requests.count == 1)
        }
    }

    @Test func rateLimitedCallIsRetriedEvenIfItIsNotIdempotent() async throws {
        let body = Self.session.dropFirst().description
        let transport = ScriptedTransport([
            .problem("too-many-requests", 429, after: "3"), .response(201, body: "{\"token\": \"t\"," + body),
        ])
        let host = try await client(transport).signIn(email: "a@example.org", password: "x")
        #expect(host.token == "t" && host.session?.account.role == "host")
        #expect(pauses.durations == [.seconds(3) + .milliseconds(100)])
    }

    @Test func refusalIsNotRetried() async throws {
        let transport = ScriptedTransport([.problem("form-closed", 409)])
        let problem = try await refusal { _ = try await client(transport).submit(["pace": 4], to: "code") }
        #expect(problem?.code == .formClosed && transport.requests.count == 1)
    }

    @Test func numberOfTriesIsLimited() async throws {
        let transport = ScriptedTransport(Array(repeating: .refuse, count: 9))
        await #expect(throws: AfterwordError.self) { try await client(transport).form("code") }
        #expect(transport.requests.count == 5)
        #expect(pauses.durations == [100, 200, 400, 800].map { .milliseconds($0) })
    }

    @Test func timeForRetriesIsLimited() async throws {
        let transport = ScriptedTransport(Array(repeating: .problem("overloaded", 503, after: "20"), count: 9))
        let problem = try await refusal { _ = try await client(transport).form("code") }
        #expect(problem?.code == .overloaded && problem?.retryAfter == .seconds(20))
        #expect(transport.requests.count == 2)
        let long = ScriptedTransport([.problem("too-many-requests", 429, after: "900")])
        #expect(try await refusal { _ = try await client(long).form("code") }?.code == .tooManyRequests)
        #expect(long.requests.count == 1)
    }

    @Test func pauseGrowsToItsLimitAndVariesByHalf() {
        let policy = RetryPolicy(firstPause: .seconds(1), longestPause: .seconds(4), random: { 1 })
        #expect((1...5).map { policy.pause(after: $0) } == [1, 2, 4, 4, 4].map { .seconds($0) })
        let withoutJitter = RetryPolicy(firstPause: .seconds(1), longestPause: .seconds(4), random: { 0 })
        #expect(withoutJitter.pause(after: 1) == .milliseconds(500) && withoutJitter.pause(after: 4000) == .seconds(2))
    }

    @Test func cancelledCallEndsAtOnce() async throws {
        let transport = ScriptedTransport([.hang])
        let call = Task { [client = client(transport)] in _ = try await client.form("code") }
        try await eventually("a request is sent") { !transport.requests.isEmpty }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requests.count == 1)
    }

    @Test func cancelledPauseEndsAtOnce() async throws {
        let transport = ScriptedTransport([.refuse])
        let policy = RetryPolicy(timeout: .seconds(36000), firstPause: .seconds(3600), longestPause: .seconds(3600))
        let call = Task { [client = client(transport, policy)] in _ = try await client.form("code") }
        try await eventually("a request is sent") { !transport.requests.isEmpty }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}
