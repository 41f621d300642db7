import Contract
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SigningUp {
    private static let openSignUp = ServiceOptions(publicURL: "https://feedback.example.org", allowsSignUp: true)

    @Test func addressIsVerifiedBeforeTheAccountExists() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            let requested = try await service.signUp("Nora@Example.org")
            #expect(requested.status == 202 && requested.text == "{}")
            let mail = try #require(try await service.mailbox.mails(to: "Nora@Example.org").first)
            #expect(mail.kind == "verification")
            #expect(mail.body.contains("https://feedback.example.org/verify?token=\(mail.token)\n"))
            #expect(!mail.body.contains("Nora New"), "the mail contains no text that a stranger chose")
            #expect(try await service.signIn("nora@example.org", "a long password").status == 401)
            #expect(try await service.count("SELECT count(*) FROM account WHERE email = 'nora@example.org'") == 0)
            let account = try await service.verify(mail.token).expect(201).decoded(as: AccountBody.self)
            #expect(account.email == "Nora@Example.org" && account.name == "Nora New" && account.role == "host")
            let session = try await service.signIn("nora@example.org", "a long password").expect(201)
                .decoded(as: Session.self)
            #expect(session.account == account)
        }
    }

    /// Before the right token is sent, there is no account and nobody can sign in.
    @Test func wrongTokenVerifiesNothing() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            try await service.signUp("nora@example.org").expect(202)
            let token = try await service.mailbox.token(to: "nora@example.org")
            for wrong in ["", "x", token + "x", String(token.dropLast()), token.uppercased()] {
                let response = try await service.verify(wrong)
                #expect(response.status == 422 && response.faults == ["/token invalid-token"], "\(wrong)")
            }
            let missing = try await service.anyone.post("/v1/accounts/verification", json: "{}")
            #expect(missing.faults == ["/token required", "/password required"])
            let array = try await service.anyone.post(
                "/v1/accounts/verification", json: #"{"token": ["\#(token)"], "password": "a long password"}"#)
            #expect(array.status == 400)
            #expect(
                try await service.verify("x", password: "short").faults == [
                    "/token invalid-token", "/password too-short",
                ])
            #expect(try await service.count("SELECT count(*) FROM account WHERE email = 'nora@example.org'") == 0)
            #expect(try await service.signIn("nora@example.org", "a long password").status == 401)
            try await service.verify(token).expect(201)
        }
    }

    @Test func onlyThePasswordOfTheVerificationIsValid() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            try await service.sql(
                """
                INSERT INTO invitation (id, hash, created_by, expires_at) VALUES
                    (gen_random_uuid(), sha256('open'), gen_random_uuid(), now() + interval '1 day')
                """)
            for (email, invitation) in [("victim@example.org", nil), ("invited@example.org", "open")] {
                try await service.signUp(email, password: "a stranger's own", invitation: invitation).expect(202)
                let token = try await service.mailbox.token(to: email)
                let alone = try await service.anyone.post(
                    "/v1/accounts/verification", json: "{\"token\": \"\(token)\"}")
                #expect(alone.status == 422 && alone.faults == ["/password required"])
                #expect(try await service.signIn(email, "a stranger's own").status == 401)
                #expect(try await service.verify(token, password: "the victim's own").status == 201)
                #expect(try await service.signIn(email, "a stranger's own").status == 401)
                #expect(try await service.signIn(email, "the victim's own").status == 201)
                #expect(
                    try await service.verify(token, password: "a stranger's own").faults == ["/token invalid-token"])
                #expect(try await service.signIn(email, "the victim's own").status == 201)
            }
        }
    }

    @Test func refusedPasswordsDoNotUseUpTheToken() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            try await service.signUp("nora@example.org").expect(202)
            let token = try await service.mailbox.token(to: "nora@example.org")
            let long = String(repeating: "é", count: 513)
            for (password, status, fault) in [
                (#""short""#, 422, "/password too-short"), ("null", 422, "/password required"),
                (#""""#, 422, "/password too-short"), ("\"\(long)\"", 422, "/password too-long"),
                (#""          ""#, 422, "/password blank"), (#""Password12""#, 422, "/password common-password"),
                (#""nora@example.org""#, 422, "/password own-address"), ("1234567890", 400, "/password wrong-type"),
                (#""nine\u0000lives""#, 422, "/password nul-character"),
            ] {
                let response = try await service.anyone.post(
                    "/v1/accounts/verification", json: "{\"token\": \"\(token)\", \"password\": \(password)}")
                #expect(response.status == status && response.faults == [fault], "\(response.text)")
            }
            #expect(try await service.count("SELECT count(*) FROM account WHERE email = 'nora@example.org'") == 0)
            try await service.verify(token).expect(201)
        }
    }

    @Test func passwordsOfSignUpsAreNotStored() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            try await service.signUp("nora@example.org", password: "a stranger's own").expect(202)
            let columns = try await service.count(
                """
                SELECT count(*) FROM information_schema.columns
                WHERE table_name = 'registration' AND column_name LIKE '%password%'
                """)
            #expect(columns == 0)
            #expect(
                try await service.count(
                    "SELECT count(*) FROM registration r WHERE r::text LIKE '%argon2%' OR r::text LIKE '%stranger%'")
                    == 0)
        }
    }

    @Test func tokenWorksOnceWithinADay() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            try await service.signUp("one@example.org").expect(202)
            let token = try await service.mailbox.token(to: "one@example.org")
            try await service.verify(token).expect(201)
            #expect(try await service.verify(token).faults == ["/token invalid-token"])
            try await service.signUp("two@example.org").expect(202)
            try await service.sql("UPDATE registration SET expires_at = now() - interval '1 second'")
            let late = try await service.verify(try await service.mailbox.token(to: "two@example.org"))
            #expect(late.faults == ["/token invalid-token"])
        }
    }

    @Test func oneOfManyConcurrentVerificationsWins() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            for _ in 0..<3 { try await service.signUp("nora@example.org").expect(202) }
            let tokens = try await service.mailbox.mails(to: "nora@example.org").map(\.token)
            #expect(Set(tokens).count == 3)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<12 {
                    group.addTask { try await service.verify(tokens[index % 3]).status }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 1, 422: 11])
            #expect(try await service.count("SELECT count(*) FROM account WHERE email = 'nora@example.org'") == 1)
            #expect(try await service.count("SELECT count(*) FROM registration") == 0)
        }
    }

    @Test func takenAddressGetsNoSecondAccount() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            try await service.signUp("HOST@example.ORG").expect(202)
            let mail = try #require(try await service.mailbox.mails(to: "host@example.org").first)
            #expect(mail.kind == "address-taken" && mail.token.isEmpty)
            // The token of this registration is not mailed. Even a person who knows it cannot use it.
            try await service.sql("UPDATE registration SET hash = sha256('found')")
            #expect(try await service.verify("found").faults == ["/token invalid-token"])
            #expect(try await service.count("SELECT count(*) FROM account WHERE email = 'host@example.org'") == 1)
            #expect(try await service.signIn("host@example.org", TestStore.password).status == 201)
        }
    }

    @Test func freeAndTakenAddressesGetTheSameResponse() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            var times: [String: [Duration]] = [:]
            for number in 0..<4 {
                for email in ["free\(number)@example.org", "host@example.org"] {
                    let begun = ContinuousClock.now
                    let response = try await service.signUp(email)
                    times[email.hasPrefix("free") ? "free" : "taken", default: []].append(.now - begun)
                    #expect(response.status == 202 && response.text == "{}")
                    #expect(
                        Set(response.headers.keys) == [
                            "content-type", "content-length", "cache-control", "date", "x-request-id",
                            "x-content-type-options", "content-security-policy", "strict-transport-security",
                        ])
                }
            }
            // Each response is delayed to at least 250 ms, whether or not the address is taken.
            #expect(times.values.joined().allSatisfy { $0 >= .milliseconds(250) })
            let rows = try await service.count(
                "SELECT count(*) FROM registration r JOIN outbox o ON o.recipient = r.email::text")
            #expect(rows >= 8, "the same rows are written for free and taken addresses")
        }
    }

    /// The parameters are the minimum that OWASP recommends: 19 MiB of memory, two iterations, one lane.
    @Test func passwordsAreHashedWithArgon2id() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            try await service.signUp("nora@example.org").expect(202)
            try await service.verify(try await service.mailbox.token(to: "nora@example.org")).expect(201)
            let rows = try await service.fixture.store.pool.query(
                """
                SELECT c.password_hash FROM credential c JOIN account a ON a.id = c.account_id
                WHERE a.email = 'nora@example.org'
                """)
            let hash = try #require(rows.first).decode(String.self)
            #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        }
    }

    @Test func invitationIsRequiredWhileSignUpIsOff() async throws {
        try await TestService.run { service in
            let closed = try await service.signUp("nora@example.org")
            #expect(closed.status == 403 && closed.problem == "forbidden")
            try await service.sql(
                """
                INSERT INTO invitation (id, hash, email, created_by, expires_at) VALUES
                    (gen_random_uuid(), sha256('open'), NULL, gen_random_uuid(), now() + interval '1 day'),
                    (gen_random_uuid(), sha256('bound'), 'nora@example.org', gen_random_uuid(),
                        now() + interval '1 day'),
                    (gen_random_uuid(), sha256('late'), NULL, gen_random_uuid(), now() - interval '1 second')
                """)
            for (email, code, status) in [
                ("nora@example.org", "unknown", 403), ("nora@example.org", "late", 403),
                ("other@example.com", "bound", 403), ("Nora@example.org", "bound", 202), ("b@example.org", "open", 202),
            ] {
                #expect(try await service.signUp(email, invitation: code).status == status, "\(email) \(code)")
            }
            #expect(try await service.count("SELECT count(*) FROM registration") == 2)
            #expect(
                try await service.mailbox.mails(to: "nora@example.org").count == 1,
                "the mail is sent to the address as it is written in the invitation")
        }
    }

    @Test func invitationIsUsedUpByOneVerification() async throws {
        try await TestService.run { service in
            try await service.sql(
                """
                INSERT INTO invitation (id, hash, created_by, expires_at) VALUES
                    (gen_random_uuid(), sha256('open'), gen_random_uuid(), now() + interval '1 day')
                """)
            let emails = (0..<5).map { "guest\($0)@example.org" }
            for email in emails { try await service.signUp(email, invitation: "open").expect(202) }
            var tokens: [String] = []
            for email in emails { tokens.append(try await service.mailbox.token(to: email)) }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for token in tokens { group.addTask { try await service.verify(token).status } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 1, 422: 4])
            #expect(try await service.count("SELECT count(*) FROM account WHERE email::text LIKE 'guest%'") == 1)
            #expect(try await service.count("SELECT count(*) FROM invitation WHERE spent_by IS NOT NULL") == 1)
            #expect(try await service.signUp("late@example.org", invitation: "open").status == 403)
        }
    }

    @Test func allFaultsAreReportedTogether() async throws {
        try await TestService.run(options: Self.openSignUp) { service in
            let long = String(repeating: "é", count: 513)
            let cases: [(String, Int, [String])] = [
                ("{}", 422, ["/email required", "/name required"]),
                (
                    #"{"email": "ann.smith@example.org", "name": "A", "password": "Ann.Smith2026"}"#, 422,
                    ["/password own-address"]
                ),
                (#"{"email": "a@b.c", "name": "A", "password": "qwertyuiop"}"#, 422, ["/password common-password"]),
                (
                    #"{"email": "a,b@example.org", "name": " ", "password": "short"}"#, 422,
                    ["/email invalid-email", "/name required", "/password too-short"]
                ),
                (
                    "{\"email\": \"a@example.org\", \"name\": \"A\\r\\nBcc: b@example.org\", \"password\": \"\(long)\"}",
                    422, ["/name control-character", "/password too-long"]
                ),
                (
                    "{\"email\": \"a@b@c\", \"name\": \"\(String(repeating: "n", count: 201))\", \"password\": null}",
                    422,
                    ["/email invalid-email", "/name too-long"]
                ),
                (
                    #"{"email": "a@example.org", "name": "A", "password": "a long password", "role": "admin"}"#, 400,
                    ["/role unknown-field"]
                ),
            ]
            for (body, status, faults) in cases {
                let response = try await service.anyone.post("/v1/accounts", json: body)
                #expect(response.status == status && response.faults == faults, "\(response.text)")
            }
            let huge = "{\"password\": \"\(String(repeating: "a", count: 20_000))\"}"
            #expect(try await service.anyone.post("/v1/accounts", json: huge).status == 413)
            #expect(try await service.count("SELECT count(*) FROM registration") == 0)
        }
    }

    @Test func mailsRequestedByStrangersAreLimited() async throws {
        var options = Self.openSignUp
        options.trustedProxies = 1
        try await TestService.run(options: options) { service in
            // Mails to one address are limited, whichever clients request them. The response stays the same.
            for email in ["free@example.org", "host@example.org"] {
                var responses: Set<String> = []
                for number in 0..<7 {
                    let response = try await service.signUp(email, from: "192.0.2.\(number)")
                    responses.insert("\(response.status) \(response.text) \(response.headers.keys.sorted())")
                }
                #expect(responses.count == 1 && responses.first?.hasPrefix("202 {}") == true)
                #expect(try await service.mailbox.mails(to: email).count == 5)
            }
            #expect(try await service.count("SELECT count(*) FROM registration") == 10)
            // Requests from one client address are limited as well.
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<70 {
                    group.addTask {
                        try await service.anyone.post(
                            "/v1/password-resets", json: "{\"email\": \"nobody\(number)@example.org\"}",
                            headers: ["X-Forwarded-For": "198.51.100.7"]
                        ).status
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [202: 60, 429: 10])
            #expect(try await service.signUp("elsewhere@example.org", from: "198.51.100.8").status == 202)
        }
    }
}
