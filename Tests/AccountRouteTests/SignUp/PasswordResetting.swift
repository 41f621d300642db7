import HTTPAPI
import HTTPServer
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct PasswordResetting {
    private static func requestReset(_ email: String, _ service: TestService) async throws -> HTTPTestClient.Response {
        try await service.anyone.post("/v1/password-resets", json: "{\"email\": \"\(email)\"}")
    }

    private static func setPassword(
        _ password: String, by token: String, _ service: TestService
    ) async throws -> HTTPTestClient.Response {
        try await service.anyone.put("/v1/password-resets/\(token)", json: "{\"password\": \"\(password)\"}")
    }

    @Test func newPasswordEndsEverySessionAndToken() async throws {
        try await TestService.run { service in
            #expect(try await Self.requestReset("Host@Example.org", service).status == 202)
            let mail = try #require(try await service.mailbox.mails(to: "host@example.org").first)
            #expect(mail.kind == "password-reset")
            #expect(mail.body.contains("/reset?token=\(mail.token)\n"))
            try await service.sql(
                """
                INSERT INTO token (id, account_id, kind, scopes, hash, expires_at)
                VALUES (gen_random_uuid(), \(service.fixture.host.account.id), 'api', '{meetings:read}',
                    sha256('aw_api'), now() + interval '1 day')
                """)
            let script = service.anyone.bearing("aw_api")
            #expect(try await script.get("/v1/meetings").status == 200)
            #expect(try await service.host.get("/v1/meetings").status == 200)
            #expect(try await Self.setPassword("a brand new one", by: mail.token, service).status == 204)
            #expect(try await service.host.get("/v1/meetings").status == 401)
            #expect(try await script.get("/v1/meetings").status == 401)
            #expect(try await service.signIn("host@example.org", TestStore.password).status == 401)
            #expect(try await service.signIn("host@example.org", "a brand new one").status == 201)
            #expect(try await service.other.get("/v1/meetings").status == 200, "other accounts are not affected")
            #expect(
                try await service.mailbox.mails(to: "host@example.org").map(\.kind) == [
                    "password-reset", "password-changed",
                ])
            #expect(
                try await service.count("SELECT count(*) FROM audit WHERE act = 'account.password-reset'") == 1)
        }
    }

    @Test func tokenWorksOnceWithinAnHourAndRevokesAllOthers() async throws {
        try await TestService.run { service in
            for _ in 0..<3 { try await Self.requestReset("host@example.org", service).expect(202) }
            let tokens = try await service.mailbox.mails(to: "host@example.org").map(\.token)
            try await service.sql(
                "UPDATE password_reset SET expires_at = now() - interval '1 second' WHERE hash = sha256(\(tokens[0])::bytea)"
            )
            for token in [tokens[0], "unknown", tokens[1] + "x"] {
                #expect(try await Self.setPassword("a brand new one", by: token, service).status == 404)
                // If the token is unknown, the faults of the body are not reported.
                #expect(try await Self.setPassword("x", by: token, service).status == 404)
            }
            for (password, code) in [
                ("short", "too-short"), ("          ", "blank"), ("host@example.org2", "own-address"),
                ("1q2w3e4r5t", "common-password"),
            ] {
                let refused = try await Self.setPassword(password, by: tokens[1], service)
                #expect(refused.status == 422 && refused.faults == ["/password \(code)"], "\(password)")
            }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<6 {
                    group.addTask { try await Self.setPassword("password \(index)", by: tokens[1], service).status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [204: 1, 404: 5])
            #expect(try await Self.setPassword("a brand new one", by: tokens[2], service).status == 404)
        }
    }

    @Test func everyAddressGetsTheSameResponse() async throws {
        try await TestService.run { service in
            try await service.sql("UPDATE account SET disabled_at = now() WHERE email = 'other@example.org'")
            var responses: [String] = []
            for email in ["host@example.org", "other@example.org", "nobody@example.org"] {
                let begun = ContinuousClock.now
                let response = try await Self.requestReset(email, service)
                #expect(.now - begun >= .milliseconds(250))
                responses.append("\(response.status) \(response.text) \(response.headers.keys.sorted())")
            }
            #expect(Set(responses).count == 1 && responses[0].hasPrefix("202 {}"))
            #expect(try await service.count("SELECT count(*) FROM outbox") == 1, "only the host gets a mail")
            let malformed = try await Self.requestReset("nobody", service)
            #expect(malformed.status == 422 && malformed.faults == ["/email invalid-email"])
        }
    }

    /// The database ignores case when it compares addresses, so the Kelvin sign equals the letter k.
    @Test func mailGoesOnlyToTheAccountsAddress() async throws {
        try await TestService.run(options: ServiceOptions(allowsSignUp: true)) { service in
            try await service.sql("UPDATE account SET email = 'kim@example.org' WHERE email = 'host@example.org'")
            try await Self.requestReset("\u{212a}im@example.org", service).expect(202)
            try await service.signUp("\u{212a}IM@example.org").expect(202)
            #expect(
                try await service.mailbox.mails(to: "kim@example.org").map(\.kind) == [
                    "password-reset", "address-taken",
                ])
            try await service.sql("UPDATE account SET email = 'victim@example.org' WHERE email = 'kim@example.org'")
            #expect(try await Self.requestReset("v\u{130}ctim@example.org", service).faults == ["/email invalid-email"])
            #expect(try await service.signUp("v\u{130}ctim@example.org").faults == ["/email invalid-email"])
            #expect(try await service.signIn("v\u{130}ctim@example.org", TestStore.password).status == 401)
            #expect(try await service.count("SELECT count(*) FROM outbox") == 2)
        }
    }

    @Test func strangersCannotPreventAReset() async throws {
        try await TestService.run { service in
            for number in 0..<7 {
                #expect(try await service.signUp("host@example.org", invitation: "nonsense \(number)").status == 403)
            }
            try await Self.requestReset("host@example.org", service).expect(202)
            #expect(try await service.mailbox.mails(to: "host@example.org").map(\.kind) == ["password-reset"])
            // Over the limit the response is the same and no mail is sent. The tokens of earlier mails remain valid.
            for _ in 0..<6 { try await Self.requestReset("HOST@example.org", service).expect(202) }
            let mails = try await service.mailbox.mails(to: "host@example.org")
            #expect(mails.count == 5)
            #expect(try await service.count("SELECT count(*) FROM password_reset") == 5)
            #expect(try await Self.setPassword("a brand new one", by: mails[0].token, service).status == 204)
        }
    }

    @Test func accountDisabledAfterTheRequestKeepsItsPassword() async throws {
        try await TestService.run { service in
            try await Self.requestReset("host@example.org", service).expect(202)
            let token = try await service.mailbox.token(to: "host@example.org")
            try await service.sql("UPDATE account SET disabled_at = now() WHERE email = 'host@example.org'")
            #expect(try await Self.setPassword("a brand new one", by: token, service).status == 404)
        }
    }

    @Test func newPasswordOrDisabledAccountRevokesMailedTokens() async throws {
        try await TestService.run { service in
            let email = try AccountDeletion.address("host@example.org")
            let accounts = service.fixture.store.accounts
            for action in ["password", "terminal", "admin"] {
                try await Self.requestReset("host@example.org", service).expect(202)
                let token = try await service.mailbox.token(to: "host@example.org")
                switch action {
                case "password": #expect(try await accounts.setPassword(email: email, hash: "x"))
                case "terminal": #expect(try await accounts.disable(email: email))
                default:
                    try await ManagingAccounts.change(
                        service.admin, service.fixture.host.account.id, #"{"disabled": true}"#
                    ).expect(200)
                }
                try await service.sql("UPDATE account SET disabled_at = NULL")
                #expect(try await Self.setPassword("a brand new one", by: token, service).status == 404, "\(action)")
            }
            let trail = try await service.admin.get("/v1/admin/audit?subject=\(service.fixture.host.account.id)")
            let entries = trail.json?["items"]?.array?.map {
                "\($0["act"]?.string ?? "") \($0["detail"]?["by"]?.string ?? "")"
            }
            #expect(entries == ["account.disable ", "account.disable terminal", "account.password terminal"])
            #expect(try await service.number("SELECT revision FROM account WHERE email = 'host@example.org'") == 4)
        }
    }

    @Test func logsContainNoToken() async throws {
        try await TestStore.run { fixture in
            let tape = LogTape()
            let api = try AfterwordAPI.api(store: fixture.store, metrics: PrometheusRegistry())
            try await LiveServer.run(api, logger: tape.logger()) { client, _ in
                let unknown = try await client.put(
                    "/v1/password-resets/secret-token", json: #"{"password": "secret password"}"#)
                #expect(unknown.status == 404 && !unknown.text.contains("secret-token"))
            }
            #expect(!tape.lines.isEmpty)
            #expect(!tape.lines.contains { $0.contains("secret") })
        }
    }

    @Test func guessesOfTokensAreLimited() async throws {
        try await TestService.run { service in
            var statuses: [Int: Int] = [:]
            for number in 0..<110 {
                statuses[
                    try await Self.setPassword("a brand new one", by: "guessed-token\(number)", service).status,
                    default: 0] +=
                    1
            }
            #expect(statuses == [404: 100, 429: 10])
        }
    }

    @Test func expiredTokensAreDeleted() async throws {
        try await TestService.run { service in
            try await Self.requestReset("host@example.org", service).expect(202)
            try await service.sql(
                """
                INSERT INTO registration (id, hash, email, name, expires_at) VALUES
                    (gen_random_uuid(), sha256('a'), 'a@example.org', 'A', now()),
                    (gen_random_uuid(), sha256('b'), 'b@example.org', 'B', now() - interval '25 hours')
                """)
            let tokens = try await service.count("SELECT count(*) FROM token")
            try await service.fixture.store.sweep()
            #expect(try await service.count("SELECT count(*) FROM registration") == 1)
            #expect(try await service.count("SELECT count(*) FROM password_reset") == 1)
            #expect(try await service.count("SELECT count(*) FROM token") == tokens)
            try await service.sql("UPDATE password_reset SET expires_at = now() - interval '25 hours'")
            try await service.sql("UPDATE token SET expires_at = now() - interval '31 days'")
            try await service.fixture.store.sweep()
            #expect(try await service.count("SELECT count(*) FROM password_reset") == 0)
            #expect(try await service.count("SELECT count(*) FROM token") == 0)
        }
    }
}
