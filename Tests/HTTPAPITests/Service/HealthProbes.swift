import Cryptography
import Domain
import Foundation
import HTTPAPI
import HTTPServer
import Postgres
import Store
import TestSupport
import Testing

/// `/livez` and `/readyz` while the database or all other requests are slow.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HealthProbes {
    @Test func frozenDatabaseIsReportedWithinASecond() async throws {
        let server = try await TestServer.start()
        try await Migrator().migrate(url: server.url())
        let keys = try #require(KeyRing(keys: [1: RandomBytes.make(32)]))
        let store = try await Store.open(
            .init(url: server.url(), poolSize: 2), keys: keys, logger: TestStore.silentLogger)
        let token = try await TestService.token(
            of: TestStore.account("host@example.org", "Hanna Host", .host, in: store), in: store)
        try await TestService.serve(store) { client in
            #expect(try await client.get("/readyz").status == 200)
            try server.freeze()
            // These requests use all connections of the pool and hang. Together with the probes they stay within the
            // client's connection limit.
            let hanging = (0..<2).map { _ in Task { try await client.bearing(token).get("/v1/meetings") } }
            var fastest = Duration.seconds(60)
            for _ in 0..<3 {
                let start = ContinuousClock.now
                let responses = try await Self.getConcurrently("/readyz", of: client, times: 5)
                fastest = min(fastest, .now - start)
                for response in responses {
                    #expect(response.status == 503 && response.problem == "database-unavailable")
                    #expect(response["Retry-After"] == "1")
                }
            }
            // The fastest of three, because other suites can delay a single one.
            #expect(fastest < .seconds(1))
            #expect(try await client.get("/livez").status == 200)
            let registry = PrometheusRegistry()
            let api = try AfterwordAPI.api(store: store, metrics: registry)
            try await Self.serveHealth(of: api, metrics: registry) { port async throws in
                let livez = try await BlockingProbe.times(of: "/livez", port: port, for: .seconds(1))
                #expect(livez.count > 5 && livez.median < .milliseconds(100), "/livez \(livez.median)")
                let readyz = try await BlockingProbe.times(of: "/readyz", port: port, for: .seconds(2), status: 503)
                #expect(readyz.min() ?? .seconds(60) < .seconds(1), "/readyz \(readyz)")
            }
            try server.thaw()
            let deadline = ContinuousClock.now + .seconds(10)
            while try await client.get("/readyz").status != 200, .now < deadline {}
            #expect(.now < deadline)
            for task in hanging { _ = try await task.value }
        }
        await store.close()
        await server.remove()
    }

    @Test func busyPoolIsReady() async throws {
        try await TestService.run { service in
            let pool = service.fixture.store.pool
            let (gate, open) = AsyncStream<Void>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await pool.withConnection { _ in for await _ in gate {} } }
                }
                let deadline = ContinuousClock.now + .seconds(10)
                while pool.statistics.connections < 8 || pool.statistics.idle > 0, .now < deadline {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(try await service.anyone.get("/readyz").status == 200)
                open.finish()
                try await group.waitForAll()
            }
        }
    }

    @Test func onlyReadinessProbesQueryTheDatabase() async throws {
        try await TestService.run { service in
            for _ in 0..<3 { #expect(try await service.anyone.get("/livez").status == 200) }
            let count: Statement = """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT 1'
                """
            let admin = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            #expect(try await admin.query(count).first?.decode(Int.self) == 0)
            for response in try await Self.getConcurrently("/readyz", of: service.anyone, times: 20) {
                #expect(response.status == 200)
            }
            #expect(
                try await admin.query(count).first?.decode(Int.self) == 2,
                "one connection of the probes and one of the pool")
            await admin.close()
        }
    }

    @Test func livezFollowsTheRulesOfAllRoutes() async throws {
        let registry = PrometheusRegistry()
        let operations = Route.operations(metrics: MetricsText(registry), document: OpenAPIDocument.load) { nil }
        try await LiveServer.run(SampleAPI.api(adding: operations, metrics: registry)) { client, _ in
            let response = try await client.get("/livez")
            #expect(response.status == 200 && response.text == #"{"status":"ok"}"#)
            #expect(response["Content-Type"] == "application/json" && response["Cache-Control"] == "no-store")
            #expect(response["X-Request-Id"] != nil && response["Date"] != nil)
            let head = try await client.send("HEAD", "/livez")
            #expect(head.status == 200 && head.body.isEmpty && head["Content-Length"] == "15")
            let post = try await client.post("/livez")
            #expect(post.status == 405 && post["Allow"] == "GET, HEAD, OPTIONS")
            #expect(try await client.get("/livez?deep=1").status == 422)
            #expect(try await client.get("/livez", headers: ["Accept": "text/html"]).status == 406)
            // One connection, on which `/livez` alternates with other requests. The last `/livez` closes it.
            let text = try await RawConnection.open(port: client.port) { raw in
                let get = { (path: String, field: String) in "GET \(path) HTTP/1.1\r\nHost: x\r\n\(field)\r\n" }
                try await raw.send(
                    get("/livez", "") + get("/words/one", "") + get("/livez", "")
                        + "HEAD /livez HTTP/1.1\r\nHost: x\r\n\r\n"
                        + get("/livez", "Connection: close\r\n") + get("/words/never", ""))
                return await raw.readToEnd()
            }
            #expect(text.split(separator: "HTTP/1.1 200 OK").count == 5, "\(text)")
            #expect(!text.contains("never"))
            let alone = try await RawConnection.open(port: client.port) { raw in
                try await raw.send("GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return await raw.readToEnd()
            }
            #expect(alone.hasSuffix(#"{"status":"ok"}"#))
            let metrics = try await client.get("/metrics").text
            #expect(metrics.contains(#"http_requests_total{method="GET",route="/livez",status="2xx"} 7"#), "\(metrics)")
        }
    }

    /// All connections of the main port are in use. The health port serves only the probes.
    @Test func healthPortRespondsWhenAllConnectionsAreInUse() async throws {
        let registry = PrometheusRegistry()
        let operations = Route.operations(metrics: MetricsText(registry), document: OpenAPIDocument.load) {
            Problem(.databaseUnavailable, retryAfter: 1)
        }
        let api = try SampleAPI.api(adding: operations, metrics: registry)
        try await LiveServer.run(api, connections: 1) { client, _ in
            try await RawConnection.open(port: client.port) { raw in
                try await raw.send("GET /words/one HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await raw.take(through: "\"one\"") != nil)
                try await Self.serveHealth(of: api, metrics: registry) { port async throws in
                    let probe = HTTPTestClient(port: port)
                    #expect(try await probe.get("/livez").status == 200)
                    #expect(try await probe.get("/readyz").status == 503)
                    #expect(try await probe.get("/metrics").status == 404)
                    #expect(registry.exposition().contains(#"route="/livez",status="2xx"} 1"#))
                }
            }
        }
    }

    /// The API's port has a queue of requests, which the health port does not share. `HealthUnderLoad` sets a time
    /// limit for both probes. This test does not, because its clients run in the same process.
    @Test func livezOnTheHealthPortDoesNotWaitForOtherRequests() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let crowd = try await RepeatingClients(
                300, port: service.anyone.port, sending: Self.submission(meeting.submissionsPath), status: 201)
            try await eventually("every client is busy") { crowd.answered > 300 }
            let registry = PrometheusRegistry()
            let api = try AfterwordAPI.api(store: service.fixture.store, metrics: registry)
            try await Self.serveHealth(of: api, metrics: registry) { port async throws in
                let (start, before) = (ContinuousClock.now, crowd.answered)
                let probes = try await BlockingProbe.times(of: "/livez", port: port, for: .seconds(3))
                let submissionTime = (ContinuousClock.now - start) * 300 / max(1, crowd.answered - before)
                #expect(probes.median < submissionTime, "/livez \(probes.median), a submission \(submissionTime)")
                #expect(probes.count > 20)
            }
            try await crowd.close()
            #expect(crowd.refused == 0)
        }
    }

    /// Calls `body` with the health port of an API, which is served while `body` runs.
    private static func serveHealth(
        of api: API, metrics: PrometheusRegistry, _ body: (Int) async throws -> Void
    ) async throws {
        let (ports, announce) = AsyncStream<Int>.makeStream()
        let server = try api.healthServer(
            metrics: metrics, host: "127.0.0.1", port: 0, logger: TestStore.silentLogger
        ) { announce.yield($0) }
        let running = Task { try await server.run() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(port))
        } catch {
            outcome = .failure(error)
        }
        running.cancel()
        _ = try? await running.value
        try outcome.get()
    }

    private static func submission(_ path: String) -> String {
        let body = #"{"answers": {"pace": 4}}"#
        return """
            POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r
            Content-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
    }

    private static func getConcurrently(
        _ path: String, of client: HTTPTestClient, times: Int
    ) async throws -> [HTTPTestClient.Response] {
        try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
            for _ in 0..<times { group.addTask { try await client.get(path) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
