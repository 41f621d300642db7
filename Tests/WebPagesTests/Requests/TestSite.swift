import Foundation
import HTTPAPI
import HTTPServer
import Logging
import TestSupport

@testable import WebPages

/// A running service with pages and API on a free port. Its public address is that of its options.
struct TestSite: Sendable {
    static let origin = "https://feedback.example.org"
    /// Loaded once for all tests.
    static let resources = Task { try await PageResources.load() }

    let fixture: TestStore
    let client: HTTPTestClient
    let pages: WebSite
    /// The memory budget for the bodies of all requests.
    let bodies: MemoryBudget
    /// The metrics as they are now. `/metrics` may be a second old.
    let metrics: PrometheusRegistry

    static func run<Value: Sendable>(
        publicURL: String = origin, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        _ body: (TestSite) async throws -> Value
    ) async throws -> Value {
        try await TestStore.run { fixture in
            try await serve(fixture, WebSiteOptions(publicURL: publicURL), logger: logger, body)
        }
    }

    /// Serves one instance that uses the given store.
    ///
    /// - Parameter environment: That of `rsvg-convert`.
    static func serve<Value: Sendable>(
        _ fixture: TestStore, _ options: WebSiteOptions,
        logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        largePages: LargePages = LargePages(), environment: [String: String] = ProcessInfo.processInfo.environment,
        _ body: (TestSite) async throws -> Value
    ) async throws -> Value {
        let metrics = PrometheusRegistry()
        let api = try AfterwordAPI.api(
            store: fixture.store, options: ServiceOptions(publicURL: options.publicURL), metrics: metrics,
            logger: logger, summaries: try await resources.value.summaries,
            reports: try await resources.value.reports(environment: environment))
        let site = WebSite(
            api, store: fixture.store, resources: try await resources.value, options: options, largePages: largePages)
        return try await LiveServer.run(api, behind: site, logger: logger) { client, _ in
            try await body(
                TestSite(fixture: fixture, client: client, pages: site, bodies: api.bodies, metrics: metrics))
        }
    }

    /// A browser that was signed in on the sign-in page.
    func signedIn(_ email: String = "host@example.org") async throws -> PageBrowser {
        var browser = PageBrowser(client)
        try await browser.get("/sign-in").expect(200)
        try await browser.post("/sign-in", ["email": email, "password": TestStore.password]).expect(303)
        return browser
    }

    /// A meeting of the host with an open form.
    func openForm(by host: PageBrowser, settings: String = #""identity": "device""#) async throws -> TestMeeting {
        let api = client.bearing(try host.session)
        let created = try await api.post("/v1/meetings", json: #"{"title": "M", "questions": \#(TestStore.questions)}"#)
        let meeting = try TestMeeting(created: created, host: api, anyone: client)
        try await meeting.define("{\(settings), \"questions\": \(TestStore.questions)}").expect(200)
        try await meeting.perform("publish").expect(200)
        return meeting
    }
}
