import Cryptography
import Dispatch
import Foundation
import HTTPServer
import Postgres
import Store
import TestSupport
import Testing

@testable import BlockingWork
@testable import HTTPAPI

/// Sign-ins that wait for each other, or whose account changes between the comparison of the password and the creation
/// of the session.
@Suite(.timeLimit(.minutes(15))) struct SignInsInFlight {
    /// The status of a sign-in if `change` happens after its password was compared.
    private static func signInStatus(
        _ service: TestService, _ change: @escaping @Sendable (Connection, UUID) async throws -> Void
    ) async throws -> Int {
        let id = service.fixture.host.account.id
        let signIn = try await service.fixture.store.pool.transaction { connection in
            try await connection.query("SELECT 1 FROM account WHERE id = \(id) FOR NO KEY UPDATE")
            let signIn = Task { try await service.signIn("host@example.org", TestStore.password).status }
            try await connection.untilAnotherConnectionWaits()
            try await change(connection, id)
            return signIn
        }
        return try await signIn.value
    }

    @Test func disabledAccountGetsNoSession() async throws {
        try await TestService.run { service in
            let status = try await Self.signInStatus(service) { connection, id in
                try await connection.execute("UPDATE account SET disabled_at = now() WHERE id = \(id)")
            }
            #expect(status == 401)
        }
    }

    @Test func signInWithAReplacedPasswordGetsNoSession() async throws {
        try await TestService.run { service in
            let status = try await Self.signInStatus(service) { connection, id in
                try await connection.execute(
                    "UPDATE credential SET password_hash = 'another' WHERE account_id = \(id)")
            }
            #expect(status == 401)
        }
    }

    @Test func unchangedAccountGetsASession() async throws {
        try await TestService.run { service in
            let status = try await Self.signInStatus(service) { _, _ in }
            #expect(status == 201)
        }
    }

    /// Clients take turns, so sign-ins of another address do not wait for all of these.
    @Test func waitingSignInsAreCountedByAddress() async throws {
        let work = BlockingWork("test.passwords", maximumRunning: 1, maximumWaiting: 10, maximumWaitingPerKey: 1)
        try await TestStore.run { fixture in
            let (store, hasher) = (fixture.store, PasswordHasher(work))
            let sessions = SessionRoutes(
                store: store, hasher: hasher,
                ownPassword: OwnPasswordCheck(store: store, hasher: hasher, log: .silent), log: .silent,
                limits: SignInLimits(attempts: store.attempts))
            let api = try API(
                routes: sessions.routes, authenticate: { _ in nil }, translate: Store.problem,
                metrics: PrometheusRegistry(), trustedProxies: 1)
            try await LiveServer.run(api) { client, _ in
                let signIn = { @Sendable (address: String) async throws -> Int in
                    try await client.post(
                        "/v1/sessions",
                        json: #"{"email": "host@example.org", "password": "\#(TestStore.password)"}"#,
                        headers: ["X-Forwarded-For": address]
                    ).status
                }
                let gate = DispatchSemaphore(value: 0)
                defer { gate.signal() }
                try #require(work.enqueue { gate.wait() })
                let first = Task { try await signIn("192.0.2.1") }
                try await eventually("a sign-in waits") { work.waitingCount == 1 }
                #expect(try await signIn("192.0.2.1") == 503)
                let other = Task { try await signIn("192.0.2.2") }
                try await eventually("two sign-ins wait") { work.waitingCount == 2 }
                gate.signal()
                #expect(try await first.value == 201)
                #expect(try await other.value == 201)
            }
        }
    }
}

extension Connection {
    /// Returns once another connection waits for a lock that this one holds.
    func untilAnotherConnectionWaits() async throws {
        while true {
            let waiting = try await query(
                """
                SELECT EXISTS (SELECT FROM pg_locks
                    WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))
                """)
            if try waiting.first?.decode(Bool.self) == true { return }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
