import HTTPAPI
import HTTPServer
import NIOCore
import Synchronization
import TestSupport
import Testing

/// The requests of one connection are answered completely and in order, whichever path handles each of them.
@Suite(.timeLimit(.minutes(15))) struct ShortcutOrder {
    private static let closing = ["Connection: close"]

    @Test func mixedRequestsOfOneConnectionAreAnsweredInOrder() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            // While the engine has not answered a request, all later ones go to the engine as well.
            let words = ["one", "wait", "two", "wait", "wait", "three", "left", "four", "left", "five"]
            let requests =
                words.map { SampleShortcut.post($0) }.joined() + SampleShortcut.post("end", "{}", Self.closing)
            let responses = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(requests)
                var arrivals = sample.arrivals.makeAsyncIterator()
                for _ in 0..<3 {
                    await arrivals.next()
                    sample.release()
                }
                return await raw.readToEnd().responses
            }
            #expect(Array(responses.prefix(6)) == words.prefix(6).map { "short \($0) of 2" })
            #expect(responses.dropFirst(6).map { Self.word($0) } == Array(words.dropFirst(6)) + ["end"])
        }
    }

    @Test func requestsSentByteByByteAreAnsweredInOrder() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let responses = try await RawConnection.open(port: client.port) { raw in
                let requests = ["one", "left", "two"].map { SampleShortcut.post($0) }.joined()
                for byte in requests { try await raw.send(String(byte)) }
                try await raw.send(SampleShortcut.post("end", "{}", Self.closing))
                return await raw.readToEnd().responses
            }
            #expect(responses.map { Self.word($0) } == ["one", "left", "two", "end"])
            #expect(responses.prefix(2) == ["short one of 2", "long left of 2"])
        }
    }

    @Test func requestsSentWhileOthersWaitAreAnsweredInOrder() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let responses = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(SampleShortcut.post("wait") + SampleShortcut.post("one"))
                var arrivals = sample.arrivals.makeAsyncIterator()
                await arrivals.next()
                for word in ["two", "wait", "three"] {
                    try await Self.requestOnAnotherConnection(client)
                    try await raw.send(SampleShortcut.post(word))
                }
                sample.release()
                await arrivals.next()
                try await Self.requestOnAnotherConnection(client)
                try await raw.send(SampleShortcut.post("end", "{}", Self.closing))
                sample.release()
                return await raw.readToEnd().responses
            }
            #expect(responses.map { Self.word($0) } == ["wait", "one", "two", "wait", "three", "end"])
        }
    }

    @Test(arguments: ["wait", "left"]) func halfClosedConnectionStillReceivesResponses(word: String) async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let responses = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(SampleShortcut.post("one") + SampleShortcut.post(word))
                raw.finishSending()
                if word == "wait" {
                    var arrivals = sample.arrivals.makeAsyncIterator()
                    await arrivals.next()
                    // Gives the end of the client's stream time to arrive.
                    try await Self.requestOnAnotherConnection(client)
                    sample.release()
                }
                return await raw.readToEnd().responses
            }
            #expect(responses == ["short one of 2", word == "left" ? "long left of 2" : "short wait of 2"])
        }
    }

    @Test(arguments: [
        "no request at all\r\n\r\n", "GET /words/x HTTP/1.1\r\n\r\n",
        SampleShortcut.post("never", "{}", ["Host: y"]), SampleShortcut.post("never", "{}", ["Transfer-Encoding: x"]),
    ])
    func malformedRequestsAreAnsweredAfterEarlierOnes(malformed: String) async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let text = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(SampleShortcut.post("wait") + malformed)
                var arrivals = sample.arrivals.makeAsyncIterator()
                await arrivals.next()
                try await Self.requestOnAnotherConnection(client)
                sample.release()
                return await raw.readToEnd()
            }
            #expect(text.responses.first == "short wait of 2")
            #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["201", "400"])
        }
    }

    /// The engine handles the earlier request and has not yet responded when the malformed head arrives.
    @Test func malformedRequestsAreAnsweredAfterThoseOfTheEngine() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let text = try await RawConnection.open(port: client.port) { raw in
                await raw.exchange(SampleShortcut.post("left") + "GET /words/x HTTP/1.1\r\nHost: a b\r\n\r\n")
            }
            #expect(text.responses.first == "long left of 2")
            #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["201", "400"])
        }
    }

    /// Both parsers find the end of the first request, but the engine refuses its head and closes the connection.
    @Test(arguments: [
        "GET a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /now HTTP/1.1\r\n\r\n",
        "GET /now HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "GET /now HTTP/1.1\r\nHost: x:y\r\n\r\n",
        "POST /quick/one HTTP/1.1\r\nHost: \r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    ])
    func requestsAfterARefusedHeadAreNotAnswered(head: String) async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let text = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(head + SampleShortcut.post("one"))
                return await raw.readToEnd()
            }
            #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["400"])
            #expect(sample.shortcuts.load(ordering: .relaxed) == 0)
        }
    }

    @Test func gracefulStopLetsAShortcutRequestFinish() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, stop in
            let responses = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(SampleShortcut.post("wait"))
                var arrivals = sample.arrivals.makeAsyncIterator()
                await arrivals.next()
                await stop()
                // New connections are refused, so the open ones have been asked to close.
                while (try? await Self.requestOnAnotherConnection(client)) != nil {}
                sample.release()
                return await raw.readToEnd().responses
            }
            #expect(responses == ["short wait of 2"])
        }
    }

    @Test func clientsThatDisconnectEarlyAffectNoOthers() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            var arrivals = sample.arrivals.makeAsyncIterator()
            for _ in 0..<20 {
                try await RawConnection.open(port: client.port) { raw in
                    try await raw.send(SampleShortcut.post("wait") + SampleShortcut.post("two"))
                    await arrivals.next()
                }
                sample.release()
                try await Self.requestOnAnotherConnection(client)
            }
        }
    }

    @Test func plainHeadWithoutItsBodyTimesOut() async throws {
        var limits = ConnectionLimits()
        limits.bodyTimeout = .milliseconds(100)
        try await LiveServer.run(SampleShortcut().api(limits: limits)) { client, _ in
            let text = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(String(SampleShortcut.post("one", #"{"a":1}"#).dropLast(3)))
                return await raw.readToEnd()
            }
            #expect(text.hasPrefix("HTTP/1.1 408"))
        }
    }

    @Test func connectionThatWaitsForItsResponseIsNotIdle() async throws {
        var limits = ConnectionLimits()
        limits.idleTimeout = .milliseconds(100)
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api(limits: limits)) { client, _ in
            let responses = try await RawConnection.open(port: client.port) { raw in
                try await raw.send(SampleShortcut.post("wait"))
                var arrivals = sample.arrivals.makeAsyncIterator()
                await arrivals.next()
                try await Task.sleep(for: .milliseconds(400))
                sample.release()
                // From here on the connection is idle.
                return await raw.readToEnd().responses
            }
            #expect(responses == ["short wait of 2"])
        }
    }

    @Test func slowReadersCauseBackpressure() async throws {
        let sample = SampleShortcut()
        try await LiveServer.run(sample.api()) { client, _ in
            let responses = try await RawConnection.open(port: client.port, receiveBuffer: 4096) { raw in
                try await raw.send(
                    SampleShortcut.post("large") + SampleShortcut.post("one")
                        + SampleShortcut.post("end", "{}", Self.closing))
                // If the client read earlier, the large response could be sent before the server reads the next
                // request.
                try await eventually("two requests are taken") {
                    sample.shortcuts.load(ordering: .relaxed) + sample.handled.load(ordering: .relaxed) >= 2
                }
                return await raw.readToEnd().responses
            }
            #expect(responses.map { $0.prefix(20) } == ["short large of 2 aaa", "long one of 2", "long end of 2"])
            #expect(responses.first.map { $0.utf8.count > SampleShortcut.large } == true)
        }
    }

    private static func word(_ response: String) -> String { String(response.split(separator: " ")[1]) }

    /// Sends a request on another connection and waits for the response.
    private static func requestOnAnotherConnection(_ client: HTTPTestClient) async throws {
        try await RawConnection.open(port: client.port) { raw in
            try await raw.send("GET /words/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            if await raw.readToEnd().isEmpty { throw CancellationError() }
        }
    }
}
