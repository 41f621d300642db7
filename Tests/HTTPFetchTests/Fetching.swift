import HTTPFetch
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct Fetching {
    private let fetcher = HTTPFetcher(maxConnectionsPerHost: 8)

    private func text(_ body: FetchBody) async throws -> String {
        String(decoding: try await body.reduce(into: []) { $0 += $1 }, as: UTF8.self)
    }

    @Test func responseHasStatusHeadersBodyAndTrailers() async throws {
        try await ScriptedServer.run { _, _ in
            [
                .send(
                    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n"
                ),
                .send("Set-Cookie: a=1\r\nSet-Cookie:b=2 \r\n\r\n4\r\nhell\r\n"), .wait(.milliseconds(20)),
                .send("2\r\no!\r\n0\r\nRepr-Digest: x\r\n\r\n"),
            ]
        } _: { server in
            let response = try await fetcher.fetch(.init(url: server.url("/a?b=%20c")))
            #expect(response.status == 201)
            #expect(response.headers.map(\.name) == ["Transfer-Encoding", "Set-Cookie", "Set-Cookie"])
            #expect(response.headers.map(\.value) == ["chunked", "a=1", "b=2"])
            #expect(try await text(response.body) == "hello!")
            #expect(response.trailers().map { "\($0.name)=\($0.value)" } == ["Repr-Digest=x"])
            #expect(server.requests == ["GET /a?b=%20c HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"])
        }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func bodyIsSentCompletely(method: String) async throws {
        try await ScriptedServer.run { server in
            let body = String(repeating: "0123456789", count: 200_000)
            var request = FetchRequest(method: method, url: server.url(), body: Array(body.utf8))
            request.headers = [("X-Empty", "")]
            let response = try await fetcher.fetch(request)
            #expect(try await text(response.body) == "ok")
            let received = try #require(server.requests.first)
            #expect(received.hasPrefix("\(method) / HTTP/1.1\r\n") && received.hasSuffix("\r\n\r\n" + body))
            #expect(received.contains("\r\nX-Empty:") && !received.contains("Expect"))
        }
    }

    @Test func onlyPostWithoutABodySendsContentLengthZero() async throws {
        try await ScriptedServer.run { _, request in
            request.hasPrefix("HEAD")
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")] : [.send(ScriptedServer.ok)]
        } _: { server in
            for method in ["GET", "HEAD", "POST", "DELETE"] {
                let response = try await fetcher.fetch(.init(method: method, url: server.url()))
                #expect(try await text(response.body) == (method == "HEAD" ? "" : "ok"))
            }
            #expect(server.requests.map { $0.contains("Content-Length: 0") } == [false, false, true, false])
        }
    }

    @Test func connectionsAreReusedUpToTheirLimit() async throws {
        try await ScriptedServer.run { server in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let response = try await fetcher.fetch(.init(url: server.url()))
                        _ = try await text(response.body)
                        return response.status
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.requests.count == 200 && server.connections <= 8)
        }
    }

    @Test func connectionIsClosedIfTheRequestAsksForIt() async throws {
        try await ScriptedServer.run { server in
            var request = FetchRequest(url: server.url())
            request.closesConnection = true
            for _ in 0..<3 { _ = try await text(fetcher.fetch(request).body) }
            #expect(server.connections == 3)
            try await eventually("all connections are closed") { server.openConnections == 0 }
        }
    }

    @Test func pinnedAddressReplacesNameResolution() async throws {
        try await ScriptedServer.run { server in
            var request = FetchRequest(url: server.url(host: "nowhere.invalid"))
            request.address = "127.0.0.1"
            let response = try await fetcher.fetch(request)
            #expect(response.status == 200)
            #expect(server.requests.first?.contains("Host: nowhere.invalid:\(server.port)\r\n") == true)
            request = FetchRequest(url: server.url())
            request.address = "::1"
            let error = await #expect(throws: FetchError.self) { try await fetcher.fetch(request) }
            #expect(error?.kind == .unreachable && error?.isSent == false)
            #expect(server.connections == 1)
        }
    }

    @Test func slowReaderAppliesBackpressure() async throws {
        let size = 64 << 20
        try await ScriptedServer.run { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"), .flood(size)]
        } _: { server in
            let response = try await fetcher.fetch(.init(url: server.url()))
            var iterator = response.body.makeAsyncIterator()
            var readBytes = try await iterator.next()?.count ?? 0
            var lastFlooded = -1
            while server.flooded != lastFlooded {
                lastFlooded = server.flooded
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(lastFlooded < size / 2)
            while let chunk = try await iterator.next() { readBytes += chunk.count }
            #expect(readBytes == size)
        }
    }

    @Test func droppedBodyClosesTheConnection() async throws {
        try await ScriptedServer.run { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nfirst")]
        } _: { server in
            do {
                let response = try await fetcher.fetch(.init(url: server.url()))
                for try await chunk in response.body {
                    #expect(chunk == Array("first".utf8))
                    break
                }
            }
            try await eventually("the connection is closed") { server.openConnections == 0 }
        }
    }
}
