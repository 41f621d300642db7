import HTTPAPI
import Logging
import TestSupport

@testable import WebPages

/// Pages and API of one service on a free port, behind the public address that its settings name.
struct TestSite: Sendable {
    static let origin = "https://feedback.example.org"

    let fixture: TestStore
    let client: HTTPTestClient

    static func run<Value: Sendable>(
        publicURL: String = origin, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (TestSite) async throws -> Value
    ) async throws -> Value {
        try await TestStore.run { fixture in
            try await serve(fixture, WebSiteOptions(publicURL: publicURL), logger: logger, body)
        }
    }

    /// One instance of a service over a store.
    static func serve<Value: Sendable>(
        _ fixture: TestStore, _ options: WebSiteOptions,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (TestSite) async throws -> Value
    ) async throws -> Value {
        let api = try AfterwordAPI.api(
            store: fixture.store, options: ServiceOptions(publicURL: options.publicURL),
            metrics: PrometheusRegistry(), logger: logger)
        let site = try WebSite(api, options: options)
        return try await LiveServer.run(api, behind: site, logger: logger) { client, _ in
            try await body(TestSite(fixture: fixture, client: client))
        }
    }

    /// A browser that has signed in on the page for it.
    func signedIn(_ email: String = "host@example.org") async throws -> TestBrowser {
        var browser = TestBrowser(client: client)
        try await browser.get("/sign-in").expect(200)
        try await browser.post("/sign-in", ["email": email, "password": TestStore.password]).expect(303)
        return browser
    }

    /// An open form of the host's, by the id of its meeting and its code.
    func openForm(by host: TestBrowser, settings: String = #""identity": "device""#) async throws -> TestMeeting {
        let api = client.bearing(try host.session)
        let made = try await api.post("/v1/meetings", json: #"{"title": "M", "questions": \#(TestStore.questions)}"#)
        let meeting = try TestMeeting(made: made, host: api, anyone: client)
        try await meeting.define("{\(settings), \"questions\": \(TestStore.questions)}").expect(200)
        try await meeting.act("publish").expect(200)
        return meeting
    }
}

/// Cookies, and the token of the last page, as a browser keeps and sends them.
struct TestBrowser: Sendable {
    let client: HTTPTestClient
    /// By the names that browsers know.
    var cookies: [String: String] = [:]
    var keepsCookies = true
    private(set) var token = ""

    init(client: HTTPTestClient) { self.client = client }

    var session: String {
        get throws {
            let name = cookies.keys.first { $0.hasSuffix("afterword-session") }
            guard let name, let token = cookies[name] else { throw TestStore.Missing("a session") }
            return token
        }
    }

    @discardableResult
    mutating func get(_ path: String, headers more: [String: String] = [:]) async throws -> HTTPTestClient.Answer {
        keep(try await client.get(path, headers: headers(more)))
    }

    /// Sends a form with the last page's token, unless `fields` name another one.
    @discardableResult
    mutating func post(
        _ path: String, _ fields: [String: String] = [:], headers more: [String: String] = [:]
    ) async throws -> HTTPTestClient.Answer {
        let body = PathQuery(["csrf": token].merging(fields) { $1 }.map { (name: $0.key, value: $0.value) }).text
        let all = headers(["Content-Type": "application/x-www-form-urlencoded"].merging(more) { $1 })
        return keep(try await client.send("POST", path, body: Array(body.utf8.dropFirst()), headers: all))
    }

    private func headers(_ more: [String: String]) -> [String: String] {
        var headers = ["Accept": "text/html"].merging(more) { $1 }
        if !cookies.isEmpty { headers["Cookie"] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        return headers
    }

    private mutating func keep(_ answer: HTTPTestClient.Answer) -> HTTPTestClient.Answer {
        if let field = answer.text.firstMatch(of: /name="csrf" value="([^"]+)"/) { token = String(field.1) }
        guard keepsCookies else { return answer }
        for cookie in (answer["Set-Cookie"] ?? "").split(separator: ", ") {
            guard let pair = cookie.firstMatch(of: /^([^=]+)=([^;]*)/) else { continue }
            cookies[String(pair.1)] = cookie.contains("Max-Age=0") ? nil : String(pair.2)
        }
        return answer
    }
}
