import Domain
import HTTPAPI
import HTTPServer
import HTTPTypes
import Logging
import NIOCore
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ConnectionHandling {
    @Test func gracefulStopLetsRequestsInFlightFinish() async throws {
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        let (gates, open) = AsyncStream<Void>.makeStream()
        let slow = Route(.get, "/slow", access: .anyone) { _ in
            arrive.finish()
            for await _ in gates {}
            return .json(.string("done"))
        }
        try await LiveServer.run(SampleAPI.api(adding: [slow])) { client, stop in
            async let response = client.get("/slow")
            for await _ in arrivals {}
            await stop()
            // Waits until the server refuses new connections. The request in flight has no response yet.
            var isRefused = false
            while !isRefused {
                do {
                    _ = try await RawConnection.open(port: client.port) { raw in
                        try await raw.send("GET /list HTTP/1.1\r\nHost: x\r\n\r\n")
                        if await raw.readToEnd().isEmpty { throw CancellationError() }
                    }
                } catch {
                    isRefused = true
                }
            }
            open.finish()
            let finished = try await response
            #expect(finished.json == .string("done"))
        }
    }

    @Test func portInUseIsReported() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let second = Server(
                try SampleAPI.api(), host: "127.0.0.1", port: client.port,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            await #expect(throws: ListenFailure.portInUse(host: "127.0.0.1", port: client.port)) {
                try await second.run()
            }
        }
    }

    @Test func unusableListenHostIsReported() async throws {
        for host in ["192.0.2.1", "no-such-host.invalid"] {
            let server = Server(
                try SampleAPI.api(), host: host, port: 0,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            await #expect(throws: ListenFailure.unknownHost(host)) { try await server.run() }
        }
    }

    @Test func idleConnectionIsClosed() async throws {
        var limits = ConnectionLimits()
        limits.idleTimeout = .milliseconds(100)
        try await LiveServer.run(SampleAPI.api(limits: limits)) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                do {
                    try await raw.send("GET /list HTTP/1.1\r\nHost:")
                } catch is ChannelError {
                    // The connection was closed before the first byte, which counts as idle too.
                }
                return await raw.readToEnd()
            }
            #expect(response.isEmpty)
        }
    }

    @Test(arguments: ["", "GET /list HTTP/1.1\r\nHost:"]) func connectionWithoutACompleteHeadIsClosed(
        text: String
    ) async throws {
        var limits = ConnectionLimits()
        limits.headTimeout = .milliseconds(200)
        try await LiveServer.run(SampleAPI.api(limits: limits)) { client, _ in
            let start = ContinuousClock.now
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(text)
                return await raw.readToEnd()
            }
            #expect(response.isEmpty && .now - start < .seconds(30))
        }
    }

    @Test func incompleteHeadOfALaterRequestClosesTheConnection() async throws {
        var limits = ConnectionLimits()
        // Longer than a busy machine takes to send a head.
        limits.headTimeout = .seconds(1)
        try await LiveServer.run(SampleAPI.api(limits: limits)) { client, _ in
            try await RawConnection.open(port: client.port) { raw in
                let head = "GET /words/one HTTP/1.1\r\nHost: x\r\n"
                // A connection between two requests remains open.
                for _ in 0..<2 {
                    try await raw.send(head + "\r\n")
                    #expect(try await raw.take(through: "\"one\"") != nil)
                    try await Task.sleep(for: .seconds(2))
                }
                let start = ContinuousClock.now
                try await raw.send(head)
                #expect(await raw.readToEnd().isEmpty)
                #expect(.now - start < .seconds(30))
            }
        }
    }

    /// The second client is accepted once the idle connection of the first client has been closed.
    @Test func idleConnectionIsClosedWhenTheLimitIsReached() async throws {
        var limits = ConnectionLimits()
        // Longer than a busy machine takes to send a head.
        limits.headTimeout = .seconds(1)
        try await LiveServer.run(SampleAPI.api(limits: limits), connections: 1) { client, _ in
            let request = "GET /words/one HTTP/1.1\r\nHost: x\r\n\r\n"
            let start = ContinuousClock.now
            try await RawConnection.open(port: client.port) { first in
                try await first.send(request)
                #expect(try await first.take(through: "\"one\"") != nil)
                try await RawConnection.open(port: client.port) { second in
                    try await second.send(request)
                    #expect(try await second.take(through: "\"one\"") != nil)
                }
                #expect(await first.readToEnd().isEmpty)
            }
            #expect(.now - start < .seconds(30), "the default timeout of an idle connection is 75 s")
        }
    }

    @Test func oneAddressCannotTakeAllConnections() async throws {
        let tape = LogTape()
        let (logger, request) = (tape.logger(.warning), "GET /words/one HTTP/1.1\r\nHost: x\r\n\r\n")
        try await LiveServer.run(SampleAPI.api(), connectionsPerAddress: 2, logger: logger) { client, _ in
            func serve(_ raw: RawConnection.Client) async throws {
                try await raw.send(request)
                #expect(try await raw.take(through: "\"one\"") != nil)
            }
            try await RawConnection.open(port: client.port) { first in
                try await serve(first)
                try await RawConnection.open(port: client.port) { second in
                    try await serve(second)
                    for _ in 0..<3 {
                        let refused = try await RawConnection.open(port: client.port) { await $0.exchange(request) }
                        #expect(refused.isEmpty)
                    }
                    try await RawConnection.open(port: client.port, from: "127.0.0.2") { try await serve($0) }
                    try await serve(second)
                }
                // The second connection has been closed, which the server may notice a moment later.
                try await eventually("the address has a free connection") {
                    try await RawConnection.open(port: client.port) {
                        await $0.exchange(request.replacing("\r\n\r\n", with: "\r\nConnection: close\r\n\r\n"))
                    }.hasSuffix("\"one\"")
                }
                try await serve(first)
            }
        }
        let lines = tape.lines.filter { $0.contains("its maximum of connections") }
        #expect(lines.count == 1, "logged once a minute")
        #expect(!lines.contains { $0.contains("127.0.0") }, "the line does not contain the address")
    }

    @Test func requestsOfOneConnectionAreAnsweredInOrder() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let responses = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(
                    "GET /words/one HTTP/1.1\r\nHost: x\r\n\r\nHEAD /words/two HTTP/1.1\r\nHost: x\r\n\r\n")
                try await raw.send("GET /words/three HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return await raw.readToEnd()
            }
            let bodies = responses.split(separator: "\r\n\r\n", omittingEmptySubsequences: false).dropFirst()
            #expect(bodies.map { $0.prefix { $0 != "H" } } == ["\"one\"", "", "\"three\""])
        }
    }

    /// The second request would be answered if the connection stayed open. With `TE`, the engine handles the first
    /// request.
    @Test(
        arguments: ["close", "Close", "keep-alive, close", "close,keep-alive", "x,\tCLOSE"],
        ["", "TE: trailers\r\n"])
    func connectionEndsAfterTheResponseIfTheClientAsksForIt(value: String, field: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let last = "GET /words/one HTTP/1.1\r\nHost: x\r\n\(field)Connection: \(value)\r\n\r\n"
            let response = try await RawConnection.open(port: client.port) { raw in
                await raw.exchange(last + "GET /words/two HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            #expect(response.hasPrefix("HTTP/1.1 200 ") && response.hasSuffix("\r\n\r\n\"one\""), "\(response)")
            #expect(response.lowercased().contains("\r\nconnection: close\r\n"))
        }
    }

    @Test(arguments: ["", "keep-alive", "Keep-Alive", "x-close"])
    func connectionStaysOpenWithoutConnectionClose(value: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let field = value.isEmpty ? "" : "Connection: \(value)\r\n"
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send("GET /words/one HTTP/1.1\r\nHost: x\r\n\(field)\r\n")
                let first = try await raw.take(through: "\"one\"")
                #expect(first?.lowercased().contains("connection:") == false)
                return await raw.exchange("GET /words/two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            }
            #expect(response.hasSuffix("\"two\""))
        }
    }

    @Test func healthAndDescriptionAreServed() async throws {
        let registry = PrometheusRegistry()
        let operations = Route.operations(metrics: MetricsText(registry), document: OpenAPIDocument.load) {
            Problem(.databaseUnavailable)
        }
        try await LiveServer.run(SampleAPI.api(adding: operations, metrics: registry)) { client, _ in
            #expect(try await client.get("/livez").text == #"{"status":"ok"}"#)
            let ready = try await client.get("/readyz")
            #expect(ready.status == 503)
            #expect(ready.problem == "database-unavailable")
            let yaml = try await client.get("/openapi.yaml")
            #expect(yaml["Content-Type"] == "application/yaml")
            #expect(yaml.text.hasPrefix("openapi: 3.1"))
            let json = try await client.get("/openapi.json")
            #expect(json.json?["openapi"]?.string?.hasPrefix("3.1") == true)
            let tag = try #require(json["ETag"])
            #expect(try await client.get("/openapi.json", headers: ["If-None-Match": tag]).status == 304)
        }
    }
}
