import HTTPFetch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FetchFailures {
    private let fetcher = HTTPFetcher(maxConnectionsPerHost: 8)

    private func failure(_ request: FetchRequest) async -> FetchError? {
        await #expect(throws: FetchError.self) {
            let response = try await fetcher.fetch(request)
            for try await _ in response.body {}
        }
    }

    @Test(arguments: [
        [ScriptedServer.Step.close],
        [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close],
        [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"), .close],
        [.send("HTTP/1.1 200 OK\r\nContent-Le"), .close],
    ])
    func incompleteResponseIsAnError(steps: [ScriptedServer.Step]) async throws {
        try await ScriptedServer.run { _, _ in
            steps
        } _: { server in
            let error = await failure(.init(method: "POST", url: server.url(), body: [1]))
            #expect(error?.kind == .closed && error?.isSent == true, "\(String(describing: error))")
            #expect(server.requests.count == 1)
        }
    }

    @Test func responseThatIsNotHTTPIsAnError() async throws {
        try await ScriptedServer.run { _, _ in
            [.send("NONSENSE\r\n\r\n"), .close]
        } _: { server in
            let error = await failure(.init(url: server.url()))
            #expect(error?.kind == .invalidResponse && error?.isSent == true, "\(String(describing: error))")
        }
    }

    /// A server that closes a reused connection without a response may have processed the request.
    @Test(arguments: [[UInt8]?.none, [], [1, 2]])
    func postIsNeverSentTwice(body: [UInt8]?) async throws {
        try await ScriptedServer.run { number, _ in
            number == 1 ? [.send(ScriptedServer.ok)] : [.close]
        } _: { server in
            for try await _ in try await fetcher.fetch(.init(url: server.url())).body {}
            let error = await failure(.init(method: "POST", url: server.url(), body: body))
            #expect(error?.isSent == true, "\(String(describing: error))")
            try await Task.sleep(for: .milliseconds(100))
            #expect(server.requests.count == 2)
        }
    }

    @Test func everyTimeoutIsEnforced() async throws {
        try await ScriptedServer.run { _, request in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"
            return request.hasPrefix("GET /head") ? [.wait(.seconds(3))] : [.send(head), .wait(.seconds(3))]
        } _: { server in
            var head = FetchRequest(url: server.url("/head"))
            head.headTimeout = .milliseconds(200)
            var total = FetchRequest(url: server.url("/total"))
            total.totalTimeout = .milliseconds(300)
            var idle = FetchRequest(url: server.url("/idle"))
            idle.idleTimeout = .seconds(1)
            for request in [head, total, idle] {
                let start = ContinuousClock.now
                let error = await failure(request)
                #expect(
                    error?.kind == .timeout && error?.isSent == true, "\(request.url): \(String(describing: error))")
                #expect(.now - start < .seconds(10))
            }
            try await eventually("all connections are closed") { server.openConnections == 0 }
        }
    }

    @Test func bodyMayTakeLongerThanTheHead() async throws {
        try await ScriptedServer.run { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .wait(.milliseconds(600)), .send("ok")]
        } _: { server in
            var request = FetchRequest(url: server.url())
            request.headTimeout = .milliseconds(300)
            let response = try await fetcher.fetch(request)
            #expect(try await response.body.reduce(into: []) { $0 += $1 } == Array("ok".utf8))
        }
    }

    @Test func cancelledTaskEndsAtOnce() async throws {
        try await ScriptedServer.run { _, request in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
            return request.hasPrefix("GET /head") ? [.wait(.seconds(3))] : [.send(head), .wait(.seconds(3))]
        } _: { server in
            for path in ["/head", "/body"] {
                let task = Task {
                    let response = try await fetcher.fetch(.init(url: server.url(path)))
                    for try await _ in response.body {}
                }
                try await eventually("the request has arrived") {
                    server.requests.last?.hasPrefix("GET \(path)") == true
                }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            let cancelled = Task { try await fetcher.fetch(.init(url: server.url())) }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
            try await eventually("all connections are closed") { server.openConnections == 0 }
        }
    }

    @Test func refusedConnectionSendsNothing() async throws {
        nonisolated(unsafe) var port = 0  // Set while the server runs, and used only afterwards.
        try await ScriptedServer.run { port = $0.port }
        let error = await failure(.init(method: "POST", url: "http://127.0.0.1:\(port)/", body: [1]))
        #expect(error?.kind == .unreachable && error?.isSent == false)
    }

    @Test(arguments: ["ftp://127.0.0.1/", "file:///etc/passwd", "http://", "nonsense", "", "http://127.0.0.1:99999/"])
    func invalidOrUnsupportedURLsAreRefused(url: String) async throws {
        let error = await failure(.init(url: url))
        #expect(error?.isSent == false && error?.kind != .timeout)
    }

    @Test func lineBreaksCannotStartAnotherHeader() async throws {
        try await ScriptedServer.run { server in
            for headers in [[("A", "b\r\nC: d")], [("A\nB", "c")], [("A:b", "c")], [("", "c")], [("A", "b\0")]] {
                let error = await failure(.init(url: server.url(), headers: headers.map { ($0.0, $0.1) }))
                #expect(error?.kind == .invalidRequest)
            }
            let split = FetchRequest(method: "GET / HTTP/1.1\r\nHost: x\r\n\r\nPOST", url: server.url())
            #expect(await failure(split)?.kind == .invalidRequest)
            #expect(server.connections == 0)
        }
    }
}
