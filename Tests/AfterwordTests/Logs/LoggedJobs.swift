import Foundation
import Postgres
import TestSupport

/// The main jobs of a service, done with personal data that does not occur anywhere else.
struct LoggedJobs {
    /// Writes a sendmail to this folder. It appends mails to the file `mails`, and refuses one recipient by name.
    static func sendmail(in folder: TemporaryFolder) throws -> String {
        let script = """
            #!/bin/sh
            mail=$(cat)
            case "$mail" in
            *"To: refused.person@"*) echo "550 unknown: refused.person@mail.example" >&2; exit 67 ;;
            esac
            printf '%s\\n====\\n' "$mail" >> \(folder / "mails")
            """
        let path = try folder.write(script, to: "sendmail")
        chmod(path, 0o755)
        return path
    }

    private static let address = "198.51.100.77"
    private static let proxied = ["X-Forwarded-For": address]

    /// The texts that the log must not contain, by their names in messages.
    private(set) var personal = [
        "a host's name": "Zerafina Quill", "a host's address": "zerafina.quill", "a password": "Gloaming-stairs-19",
        "a wrong password": "Mistaken-stairs-77", "an unknown address": "nobody.known",
        "an address that takes no mail": "refused.person", "an attendee's name": "Ottoline",
        "an attendee's address": "ottoline.brack", "an answer": "unobtrusive marmalade",
        "a word of an answer": "marmalade", "a client's address": address, "an unknown token": "stolen-token-12345",
        "an idempotency key": "idempotent-lantern-0042", "a webhook's path": "hook-sesame-path",
    ]
    /// The ids of the requests that were answered 500.
    private(set) var failedRequests: [String] = []
    private let service: RunningService
    private let database: TestDatabase
    private let folder: TemporaryFolder
    private var client: HTTPTestClient { service.client }
    private var host: HTTPTestClient
    private var meeting = ""
    private var code = ""

    init(_ service: RunningService, _ database: TestDatabase, _ folder: TemporaryFolder) {
        (self.service, self.database, self.folder) = (service, database, folder)
        host = service.client
    }

    mutating func run() async throws {
        try await signUp()
        try await signIn()
        try await openForm()
        try await checkIn()
        try await submit()
        try await shareAndExport()
        try await failExpectedly()
        try await failUnexpectedly()
        try await eventually("the mails and webhooks are in the log") {
            let log = service.standardError
            return log.contains("Sending a mail failed") && log.contains("Webhook delivery failed")
        }
    }

    private mutating func signUp() async throws {
        for email in ["refused.person@mail.example", "zerafina.quill@mail.example"] {
            let account = "{\"email\": \"\(email)\", \"name\": \"Zerafina Quill\"}"
            try await client.post("/v1/accounts", json: account, headers: Self.proxied).expect(202)
        }
        let token = try await mailedToken("/verify?token=")
        personal["a token of a sign-up"] = token
        for (token, status) in [("stolen-token-12345", 422), (token, 201)] {
            let body = "{\"token\": \"\(token)\", \"password\": \"Gloaming-stairs-19\"}"
            try await client.post("/v1/accounts/verification", json: body, headers: Self.proxied).expect(status)
        }
    }

    private mutating func signIn() async throws {
        for email in ["zerafina.quill@mail.example", "nobody.known@mail.example"] {
            let wrong = "{\"email\": \"\(email)\", \"password\": \"Mistaken-stairs-77\"}"
            try await client.post("/v1/sessions", json: wrong, headers: Self.proxied).expect(401)
        }
        let address = #"{"email": "zerafina.quill@mail.example"}"#
        try await client.post("/v1/password-resets", json: address, headers: Self.proxied).expect(202)
        let token = try await mailedToken("/reset?token=")
        personal["a token of a new password"] = token
        let password = #"{"password": "Gloaming-stairs-19"}"#
        try await client.put("/v1/password-resets/\(token)", json: password).expect(204)
        let credentials = #"{"email": "zerafina.quill@mail.example", "password": "Gloaming-stairs-19"}"#
        let session = try await client.post("/v1/sessions", json: credentials, headers: Self.proxied).expect(201)
        personal["a session"] = try session.string("token")
        host = client.bearing(try session.string("token"))
    }

    private mutating func openForm() async throws {
        let questions = """
            [{"key": "pace", "kind": "rating", "title": "How was the pace?"},
             {"key": "better", "kind": "text", "title": "What should change?"}]
            """
        let created = try await host.post("/v1/meetings", json: "{\"title\": \"Retro\", \"questions\": \(questions)}")
            .expect(201)
        meeting = "/v1/meetings/" + (try created.string("id"))
        personal["a check-in code"] = try created.string("checkInCode")
        let webhook = """
            {"url": "http://127.0.0.1:\(service.port)/hook-sesame-path", "events": ["form.opened", "results.changed"]}
            """
        personal["a webhook's secret"] = try await host.post("/v1/webhooks", json: webhook).expect(201).string("secret")
        let form = try await host.post(meeting + "/form/publish").expect(200)
        code = try form.string("code")
        personal["a form's code"] = code
        personal["a join code"] = try form.string("joinCode")
    }

    private func checkIn() async throws {
        let path = "/v1/check-ins/" + (personal["a check-in code"] ?? "")
        try await client.checkIn(path, "Ottoline Brack", "ottoline.brack@mail.example").expect(201)
        try await client.checkIn(path, "Ottoline Brack", "ottoline.brack mail.example").expect(422)
    }

    private mutating func submit() async throws {
        let (path, answer) = ("/v1/forms/\(code)/submissions", #""better": "unobtrusive marmalade""#)
        // The first submission is stored ahead of the HTTP engine. The others pass through the engine.
        let first = try await client.post(
            path, json: "{\"answers\": {\"pace\": 4, \(answer)}}",
            headers: ["Idempotency-Key": "idempotent-lantern-0042"]
        ).expect(201)
        let others = [("{\"pace\": 4, \(answer)}", 201), ("{\"pace\": 9, \(answer)}", 422), ("{\(answer)", 400)]
        for (answers, status) in others {
            try await client.post(path, json: "{\"answers\": \(answers)}", headers: ["TE": "trailers"]).expect(status)
        }
        let receipt = try first.string("receipt")
        personal["a receipt"] = receipt
        let (submission, proof) = ("\(path)/\(try first.string("id"))", ["Authorization": "Receipt \(receipt)"])
        try await client.put(submission, json: "{\"answers\": {\(answer)}}", headers: proof).expect(200)
        try await client.get(submission, headers: proof).expect(200)
        try await client.delete(submission, headers: proof).expect(204)
        try await client.get("/f/\(code)?t=stolen-token-12345", headers: ["Accept": "text/html"]).expect(303)
    }

    private mutating func shareAndExport() async throws {
        let share = try await host.post(meeting + "/shares", json: "{}").expect(201).string("token")
        personal["a share"] = share
        try await client.get("/v1/shares/\(share)").expect(200)
        let expiry = Date(timeIntervalSinceNow: 86_400).formatted(.iso8601)
        let scope = "{\"name\": \"nightly\", \"scopes\": [\"export:read\"], \"expiresAt\": \"\(expiry)\"}"
        personal["an API token"] = try await host.post("/v1/tokens", json: scope).expect(201).string("token")
        for file in ["submissions.csv", "submissions.xlsx", "attendance.csv"] {
            try await host.get("\(meeting)/export/\(file)").expect(200)
        }
        try await host.get(meeting + "/results/better/answers?q=marmalade").expect(200)
    }

    private func failExpectedly() async throws {
        for path in ["/v1/forms/", "/v1/people/", "/v1/shares/", "/v1/check-ins/", "/f/", "/s/", "/r/", "/nowhere/"] {
            _ = try await client.get(path + "stolen-token-12345", headers: ["Accept": "text/html, */*"])
        }
        try await client.bearing("stolen-token-12345").get("/v1/me").expect(401)
        try await client.post("/v1/sessions", json: #"{"email": "zerafina.quill@"#).expect(400)
        _ = try await RawConnection.open(port: service.port) { connection in
            try await connection.send("GET /v1/people/stolen-token-12345 HTTP/1.1\r\nbroken head\r\n\r\n")
            return await connection.readToEnd()
        }
    }

    /// Causes database errors that the program does not expect. One of them contains the values of a row.
    private mutating func failUnexpectedly() async throws {
        let owner = try await Connection.connect(PostgresConfiguration(url: database.url))
        try await owner.script("ALTER TABLE submission ADD CONSTRAINT refused CHECK (false) NOT VALID")
        let answers = #"{"answers": {"better": "unobtrusive marmalade"}}"#
        var responses = [try await client.post("/v1/forms/\(code)/submissions", json: answers)]
        try await owner.script("ALTER TABLE submission DROP CONSTRAINT refused; ALTER TABLE token RENAME TO gone")
        responses.append(try await host.get(meeting))
        let cookie = "afterword-session=" + (personal["a session"] ?? "")
        responses.append(try await client.get("/home", headers: ["Accept": "text/html", "Cookie": cookie]))
        try await owner.script("ALTER TABLE gone RENAME TO token")
        await owner.close()
        failedRequests = try responses.compactMap { try $0.expect(500)["X-Request-Id"] }
    }

    /// The token after the first occurrence of this part of a link in a mail.
    private func mailedToken(_ link: String) async throws -> String {
        var token: Substring = ""
        try await eventually("a mail with \(link)") {
            // The text is in quoted-printable, which breaks lines and escapes `=`.
            let mails = folder.read("mails").replacing("=\n", with: "").replacing("=3D", with: "=")
            guard let place = mails.firstRange(of: link) else { return false }
            token = mails[place.upperBound...].prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            return true
        }
        return String(token)
    }
}
