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
        let store = try await Store.open(.init(url: server.url(), poolSize: 2), keys: keys, logger: TestStore.quiet)
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
        let operations = Route.operations(metrics: registry, document: OpenAPIDocument.load) { nil }
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
            // One connection, alternating with ordinary requests; the last request closes it.
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
        let operations = Route.operations(metrics: registry, document: OpenAPIDocument.load) {
            Problem(.databaseUnavailable, retryAfter: 1)
        }
        let api = try SampleAPI.api(adding: operations, metrics: registry)
        try await LiveServer.run(api, connections: 1) { client, _ in
            try await RawConnection.open(port: client.port) { raw in
                try await raw.send("GET /words/one HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await raw.take(through: "\"one\"") != nil)
                let (ports, announce) = AsyncStream<Int>.makeStream()
                let health = try api.healthServer(
                    metrics: registry, host: "127.0.0.1", port: 0, logger: TestStore.quiet
                ) { announce.yield($0) }
                let running = Task { try await health.run() }
                var iterator = ports.makeAsyncIterator()
                let probe = HTTPTestClient(port: try #require(await iterator.next()))
                #expect(try await probe.get("/livez").status == 200)
                #expect(try await probe.get("/readyz").status == 503)
                #expect(try await probe.get("/metrics").status == 404)
                #expect(registry.exposition().contains(#"route="/livez",status="2xx"} 1"#))
                running.cancel()
                _ = try? await running.value
            }
        }
    }

    /// The API's port has a queue of requests, which the health port does not share.
    @Test func livezOnTheHealthPortDoesNotWaitForOtherRequests() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let end = ContinuousClock.now + .seconds(4)
            let path = meeting.submissionsPath
            let registry = PrometheusRegistry()
            let (ports, announce) = AsyncStream<Int>.makeStream()
            let api = try AfterwordAPI.api(store: service.fixture.store, metrics: registry)
            let health = try api.healthServer(
                metrics: registry, host: "127.0.0.1", port: 0, logger: TestStore.quiet
            ) { announce.yield($0) }
            let running = Task { try await health.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            try await withThrowingTaskGroup(of: [Duration].self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        try await RawConnection.open(port: service.anyone.port) { raw in
                            var times: [Duration] = []
                            while .now < end {
                                let start = ContinuousClock.now
                                try await raw.send(Self.submission(path))
                                _ = try await raw.take(through: "}")
                                times.append(.now - start)
                            }
                            return times
                        }
                    }
                }
                // The probes run on a separate thread, because the tasks of these clients occupy the concurrency
                // threads.
                let probes = try await Self.probe(port: port, until: end)
                let load = try await group.reduce(into: []) { $0 += $1 }.sorted()
                let (probe, usual) = (probes.sorted()[probes.count / 2], load[load.count / 2])
                #expect(probe < usual, "/livez \(probe), a submission \(usual), \(probes.count) probes")
                #expect(probes.count > 20)
            }
            running.cancel()
            _ = try? await running.value
        }
    }

    /// The duration of each request on a new connection.
    private static func probe(port: Int, until end: ContinuousClock.Instant) async throws -> [Duration] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        var times: [Duration] = []
                        while .now < end {
                            let start = ContinuousClock.now
                            let response = try BlockingProbe.get("/livez", port: port)
                            guard response.hasPrefix("HTTP/1.1 200 ") else {
                                throw TestStore.Missing("a 200: \(response)")
                            }
                            times.append(.now - start)
                            Thread.sleep(forTimeInterval: 0.02)
                        }
                        return times
                    })
            }
        }
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

/// A request with blocking calls, which no task of the process can delay.
private enum BlockingProbe {
    static func get(_ path: String, port: Int) throws -> String {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw TestStore.Missing("a socket") }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw TestStore.Missing("a connection") }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, 0) == request.count else {
            throw TestStore.Missing("a request sent")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = recv(socket, &buffer, buffer.count, 0), count > 0 { bytes += buffer.prefix(count) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
