import Cryptography
import Foundation
import HTTPServer
import Store
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import HTTPAPI

/// What the log records about attacks on accounts, and what it must not contain.
@Suite(.timeLimit(.minutes(15))) struct SecurityLogging {
    static func run(_ body: (TestService, LogTape) async throws -> Void) async throws {
        let tape = LogTape()
        try await TestService.run(options: ServiceOptions(trustedProxies: 1), logger: tape.logger()) { service in
            try await body(service, tape)
        }
        // No log line of any test here may contain secrets or personal data.
        for hidden in ["@example.org", "wrong", "192.0.2", "0000secret", "secret-token"] {
            #expect(!tape.lines.contains { $0.contains(hidden) }, "\(hidden)")
        }
    }

    static func lines(_ event: SecurityLog.Event, in tape: LogTape) -> [String] {
        tape.lines.filter { $0.contains("event=\(event.rawValue) ") }
    }

    static func value(_ name: String, of line: String) -> String? {
        line.split(separator: " ").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test func failedSignInsLogTheAccountAndAHashOfTheAddress() async throws {
        try await Self.run { service, tape in
            let account = service.fixture.host.account.id.uuidString.lowercased()
            for _ in 1...3 {
                #expect(try await service.signIn("host@example.org", "wrong", from: "192.0.2.1").status == 401)
            }
            let lines = Self.lines(.signInFailed, in: tape)
            #expect(lines.count == 1, "repeated events of one client are logged once a minute")
            let line = try #require(lines.first)
            #expect(line.hasPrefix("notice Sign-in failed") && Self.value("account", of: line) == account)
            let client = try #require(Self.value("client", of: line))
            #expect(client.wholeMatch(of: /[0-9a-f]{12}/) != nil && Self.value("suppressed", of: line) == "0")
            // Another address has another hash. An unknown account is not named.
            #expect(try await service.signIn("nobody@example.org", "wrong", from: "192.0.2.2").status == 401)
            let other = try #require(Self.lines(.signInFailed, in: tape).last)
            #expect(Self.value("account", of: other) == nil)
            #expect(Self.value("client", of: other) != client && Self.value("client", of: other) != nil)
            #expect(tape.lines.count { $0.contains("event=") } == 2)
        }
    }

    @Test func lockoutsAreLoggedOnce() async throws {
        try await Self.run { service, tape in
            let account = service.fixture.host.account.id.uuidString.lowercased()
            for number in 1...10 {
                #expect(Self.lines(.signInLocked, in: tape) == [], "\(number)")
                #expect(try await service.signIn("host@example.org", "wrong", from: "192.0.2.1").status == 401)
            }
            let line = try #require(Self.lines(.signInLocked, in: tape).first)
            #expect(line.hasPrefix("warning ") && Self.value("account", of: line) == account)
            #expect(Self.value("scope", of: line) == "account-and-address")
            #expect(try await service.signIn("host@example.org", "wrong", from: "192.0.2.1").status == 429)
            #expect(Self.lines(.signInLocked, in: tape).count == 1)
            // Password spraying over accounts from one address.
            for number in 1...100 {
                let status = try await service.signIn("n\(number % 20)@example.org", "wrong", from: "192.0.2.9").status
                #expect(status == 401, "\(number)")
            }
            let sprayed = Self.lines(.signInLocked, in: tape).dropFirst()
            #expect(sprayed.map { Self.value("scope", of: $0) } == ["address"])
            #expect(sprayed.allSatisfy { Self.value("account", of: $0) == nil })
        }
    }

    /// Serves only the sign-in, with a log whose clock the test advances.
    private static func runSignIn(
        failuresOfAccount: Int = 1_000,
        _ body: (TestStore, LogTape, Clock, SignIn) async throws -> Void
    ) async throws {
        let (tape, clock) = (LogTape(), Clock())
        let log = SecurityLog(tape.logger(), key: [1], now: { clock.now })
        try await TestStore.run { fixture in
            let (store, hasher) = (fixture.store, PasswordHasher())
            let sessions = SessionRoutes(
                store: store, hasher: hasher,
                ownPassword: OwnPasswordCheck(store: store, hasher: hasher, log: log), log: log,
                limits: SignInLimits(attempts: store.attempts, failuresOfAccount: failuresOfAccount))
            let api = try API(
                routes: sessions.routes, authenticate: { _ in nil }, translate: Store.problem,
                metrics: PrometheusRegistry(), trustedProxies: 1, securityLog: log)
            try await LiveServer.run(api) { client, _ in
                try await body(fixture, tape, clock) { password, address in
                    try await client.post(
                        "/v1/sessions", json: #"{"email": "host@example.org", "password": "\#(password)"}"#,
                        headers: ["X-Forwarded-For": address]
                    ).status
                }
            }
        }
    }

    private typealias SignIn = (_ password: String, _ address: String) async throws -> Int

    @Test func refusedSignInsAreLoggedOnceAMinute() async throws {
        try await Self.runSignIn { fixture, tape, clock, signIn in
            for _ in 1...10 { #expect(try await signIn("wrong", "192.0.2.1") == 401) }
            for minute in 1...3 {
                for _ in 1...4 { #expect(try await signIn("wrong", "192.0.2.1") == 429) }
                clock.advance(61)
                #expect(try await signIn(TestStore.password, "192.0.2.1") == 429)
                let line = try #require(Self.lines(.signInLocked, in: tape).last)
                #expect(Self.lines(.signInLocked, in: tape).count == minute + 1)
                #expect(Self.value("account", of: line) == fixture.host.account.id.uuidString.lowercased())
                #expect(Self.value("scope", of: line) == "account-and-address")
                #expect(Self.value("suppressed", of: line) == "4")
            }
        }
    }

    @Test func manyFailuresOfOneAccountAreLoggedButNotRefused() async throws {
        try await Self.runSignIn(failuresOfAccount: 12) { fixture, tape, _, signIn in
            func accountLines() -> [String] {
                Self.lines(.signInLocked, in: tape).filter { Self.value("scope", of: $0) == "account" }
            }
            for number in 0..<12 { #expect(try await signIn("wrong", "192.0.2.\(number / 4)") == 401) }
            #expect(accountLines() == [])
            for number in 12..<15 { #expect(try await signIn("wrong", "192.0.2.\(number)") == 401) }
            #expect(accountLines().count == 1)
            let line = try #require(accountLines().first)
            #expect(Self.value("account", of: line) == fixture.host.account.id.uuidString.lowercased())
            #expect(Self.value("client", of: line) == nil, "the failures have no single source")
            #expect(try await signIn(TestStore.password, "192.0.2.99") == 201, "the owner is not locked out")
        }
    }

    @Test func accountIsConsideredAttackedAfterAThousandFailures() async throws {
        try await TestStore.run { fixture in
            let (limits, account) = (SignInLimits(attempts: fixture.store.attempts), UUID())
            for _ in 1...1_000 { #expect(!limits.isAttacked(afterFailureOf: account)) }
            #expect(limits.isAttacked(afterFailureOf: account) && !limits.isAttacked(afterFailureOf: UUID()))
        }
    }

    @Test func wrongOldPasswordsAreLogged() async throws {
        try await Self.run { service, tape in
            let account = service.fixture.host.account.id.uuidString.lowercased()
            let body = #"{"password": "an even better one", "oldPassword": "wrong"}"#
            for number in 1...9 {
                #expect(try await OwnProfile.edit(service.host, body).status == 422)
                #expect(Self.lines(.passwordCheckFailed, in: tape).count == 1, "\(number)")
            }
            #expect(Self.lines(.passwordCheckLocked, in: tape) == [])
            #expect(try await OwnProfile.edit(service.host, body).status == 422)
            #expect(Self.lines(.passwordCheckLocked, in: tape).count == 1)
            #expect(try await OwnProfile.edit(service.host, body).status == 429)
            #expect(Self.lines(.passwordCheckLocked, in: tape).count == 1, "the refusal is not logged again")
            for event in [SecurityLog.Event.passwordCheckFailed, .passwordCheckLocked] {
                let line = try #require(Self.lines(event, in: tape).first)
                #expect(Self.value("account", of: line) == account && Self.value("client", of: line) != nil)
            }
        }
    }

    @Test func linesContainTheIDOfTheirRequest() async throws {
        try await Self.run { service, tape in
            let responses = [
                (SecurityLog.Event.signInFailed, try await service.signIn("host@example.org", "wrong")),
                (.accessDenied, try await service.host.get("/v1/admin/accounts")),
                (
                    .passwordCheckFailed,
                    try await OwnProfile.edit(
                        service.host, #"{"password": "an even better one", "oldPassword": "wrong"}"#)
                ),
                (
                    .verificationFailed,
                    try await service.anyone.post("/v1/accounts/verification", json: #"{"token": "secret-token"}"#)
                ),
            ]
            for (event, response) in responses {
                let line = try #require(Self.lines(event, in: tape).first, "\(event)")
                let id = try #require(response["X-Request-Id"])
                #expect(Self.value("request", of: line) == id, "\(event)")
            }
            for _ in 1...100 { _ = try await service.anyone.get("/v1/forms/0000secret") }
            let refusal = try await service.anyone.get("/v1/forms/0000secret")
            let line = try #require(Self.lines(.codeGuesses, in: tape).first)
            #expect(refusal.status == 429 && Self.value("request", of: line) == refusal["X-Request-Id"])
        }
    }

    @Test func guessesPastTheLimitAreLoggedOnce() async throws {
        try await Self.run { service, tape in
            for number in 0..<100 {
                #expect(try await service.anyone.get("/v1/forms/0000secret\(1000 + number)").status == 404)
            }
            #expect(tape.lines.allSatisfy { !$0.contains("event=") }, "typing errors are not logged")
            for path in ["/v1/forms/0000secret1", "/v1/forms/0000secret"] {
                #expect(try await service.anyone.get(path).status == 429)
            }
            #expect(Self.lines(.codeGuesses, in: tape).count == 1)
            #expect(Self.lines(.codeGuesses, in: tape)[0].hasPrefix("warning "))
            let reset = try await service.anyone.put(
                "/v1/password-resets/secret-token-of-a-mail", json: #"{"password": "a long password"}"#)
            #expect(reset.status == 429)
            #expect(Self.lines(.resetTokenGuesses, in: tape).count == 1)
        }
    }

    @Test func unknownVerificationTokensAreLogged() async throws {
        try await Self.run { service, tape in
            // The sign-up page sends the code of each invitation to this route. A valid code is not a failure.
            let code = try await service.admin.post("/v1/invitations", json: "{}").expect(201).string("code")
            let invited = try await service.anyone.post(
                "/v1/accounts/verification", json: "{\"token\": \"\(code)\"}")
            #expect(invited.status == 422 && Self.lines(.verificationFailed, in: tape).isEmpty)
            for _ in 1...2 {
                let response = try await service.anyone.post(
                    "/v1/accounts/verification", json: #"{"token": "secret-token"}"#)
                #expect(response.status == 422)
            }
            #expect(Self.lines(.verificationFailed, in: tape).count == 1)
            #expect(try await service.anyone.post("/v1/accounts/verification", json: "{}").status == 422)
            #expect(Self.lines(.verificationFailed, in: tape).count == 1, "a missing token is not an attempt")
        }
    }

    @Test func deniedAccessNamesTheAccountAndTheRoute() async throws {
        try await Self.run { service, tape in
            let account = service.fixture.host.account.id.uuidString.lowercased()
            #expect(try await service.host.get("/v1/admin/accounts").status == 403)
            let line = try #require(Self.lines(.accessDenied, in: tape).first)
            #expect(line.hasPrefix("notice ") && Self.value("account", of: line) == account)
            #expect(line.contains("route=GET /v1/admin/accounts"))
            // Denied by role, in the handler.
            let meeting = try await service.meeting()
            let body = #"{"email": "other@example.org", "role": "viewer"}"#
            try await service.host.post("/v1/series/\(meeting.seriesID)/hosts", json: body).expect(201)
            #expect(try await service.other.delete(meeting.path).status == 403)
            let denied = try #require(Self.lines(.accessDenied, in: tape).last)
            #expect(denied.contains("route=DELETE /v1/meetings/{id}") && !denied.contains(meeting.id))
            #expect(Self.value("account", of: denied) != account)
            // Refusals of requests without a signed-in account are not logged.
            #expect(try await service.anyone.get("/v1/admin/accounts").status == 401)
            #expect(try await service.signUp("new@example.org").status == 403)
            #expect(Self.lines(.accessDenied, in: tape).count == 2)
        }
    }

    @Test func participantsAreNotLogged() async throws {
        try await Self.run { service, tape in
            let meeting = try await service.openMeeting(settings: #""anonymous": true, "identity": "device""#)
            try await meeting.submit(#"{"pace": 3}"#, respondent: String(repeating: "a", count: 43)).expect(201)
            #expect(try await meeting.submit(#"{"pace": 99}"#).status >= 400)
            #expect(try await service.anyone.get(meeting.formPath + "/results").status == 403)
            #expect(tape.lines.allSatisfy { !$0.contains("event=") })
        }
    }

    // MARK: Bounds

    /// A clock that the test advances.
    private final class Clock: Sendable {
        private let start = ContinuousClock.now
        private let elapsed = Mutex<Duration>(.zero)

        var now: ContinuousClock.Instant { start + elapsed.withLock { $0 } }
        func advance(_ seconds: Int) { elapsed.withLock { $0 += .seconds(seconds) } }
    }

    private static func address(_ number: Int) -> ClientAddress {
        ClientAddress(peer: "10.0.\(number / 256).\(number % 256)", forwarded: nil, trustedProxies: 0)
    }

    @Test func repeatedEventsAreCountedInsteadOfLogged() {
        let (tape, clock) = (LogTape(), Clock())
        let log = SecurityLog(tape.logger(), key: [1], now: { clock.now })
        for _ in 0..<10_000 { log.record(.signInFailed, client: Self.address(1)) }
        #expect(tape.lines.count == 1)
        log.record(.signInFailed, account: UUID(), client: Self.address(1))
        log.record(.accessDenied, client: Self.address(1))
        #expect(tape.lines.count == 3, "another account or event has its own line")
        clock.advance(61)
        log.record(.signInFailed, client: Self.address(1))
        #expect(tape.lines.count == 4 && tape.lines[3].contains("suppressed=9999"))
        clock.advance(61)
        log.record(.signInFailed, client: Self.address(1))
        #expect(tape.lines[4].contains("suppressed=0") && !tape.lines[4].contains("suppressed-others"))
    }

    @Test func manyAddressesDoNotFloodTheLog() {
        let (tape, clock) = (LogTape(), Clock())
        let log = SecurityLog(tape.logger(), key: [1], now: { clock.now })
        for number in 0..<20_000 { log.record(.signInFailed, client: Self.address(number)) }
        #expect(tape.lines.count == SecurityLog.maxLines)
        log.record(.signInLocked, client: Self.address(1))
        #expect(tape.lines.count == SecurityLog.maxLines + 1, "one event does not suppress another")
        // The counts of omitted lines are complete even though sources are evicted.
        for minute in 1...60 {
            clock.advance(61)
            for number in 0..<100 { log.record(.signInFailed, client: Self.address(minute * 100 + number)) }
        }
        let counted = Self.lines(.signInFailed, in: tape).reduce(0) { sum, line in
            sum + ["suppressed", "suppressed-others"].reduce(1) { $0 + (Int(Self.value($1, of: line) ?? "") ?? 0) }
        }
        #expect(Self.lines(.signInFailed, in: tape).count == 61 * SecurityLog.maxLines)
        #expect(
            counted == 20_000 + 60 * 100 - 70, "the 70 events omitted in the last minute are reported by the next line")
    }

    @Test func addressesAreHashedUnderTheKey() async throws {
        let (one, two, other) = (LogTape(), LogTape(), LogTape())
        try await TestStore.run { fixture in
            let key = try fixture.store.keys.key(for: .loggedAddress)
            #expect(try fixture.store.keys.key(for: .csrf) != key)
            SecurityLog(one.logger(), key: key).record(.signInFailed, client: Self.address(1))
            SecurityLog(two.logger(), key: key).record(.signInFailed, client: Self.address(1))
            SecurityLog(other.logger(), key: [2]).record(.signInFailed, client: Self.address(1))
        }
        #expect(one.lines == two.lines, "the hash of an address is the same on each instance and after a restart")
        #expect(one.lines != other.lines && !one.lines[0].contains("10.0.0.1"))
    }
}
