import HTTPAPI
import HTTPServer
import TestSupport
import Testing

/// The limit on the memory for the request bodies of all clients together.
@Suite(.timeLimit(.minutes(5))) struct MemoryOfBodies {
    private static let limit = 128 << 20

    private static func head(_ path: String, length: Int) -> String {
        """
        POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: 0123456789abcdef\r\n\
        Content-Length: \(length)\r\n\r\n
        """
    }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    /// The largest number of bytes that a new share can take from the budget.
    static func left(of budget: MemoryBudget) -> Int {
        var (available, step) = (0, limit)
        while step > 0 {
            let share = MemoryBudget.Share(of: budget)
            if share.take(available + step) { available += step }
            step /= 2
        }
        return available
    }

    @Test func largeBodiesBeyondTheLimitAreRefused() async throws {
        let sample = SampleShortcut()
        let api = try sample.api()
        try await LiveServer.run(api) { client, _ in
            let large = "\"\(Self.zeros(15_000))\""
            let headers = ["Idempotency-Key": "0123456789abcdef"]
            func post(_ body: String) async throws -> HTTPTestClient.Response {
                try await client.post("/quick/one", json: body, headers: headers)
            }
            do {
                let share = MemoryBudget.Share(of: api.bodies)
                #expect(share.take(Self.limit + MemoryBudget.freeBytesPerShare))
                let refused = try await post(large)
                #expect(refused.status == 503 && refused["Retry-After"] == "1" && refused["Connection"] == "close")
                #expect(try await post("{}").text == "\"short one of 2\"", "a small body is accepted in any case")
                let declined = try await client.post("/quick/left", json: "{}", headers: headers)
                #expect(declined.text == "\"long left of 2\"")
            }
            #expect(try await post(large).text == "\"short one of 15002\"")
            try await eventually("all bytes are returned to the budget") { Self.left(of: api.bodies) >= Self.limit }
        }
    }

    /// The budget counts the bytes that have arrived, not the announced length, until the connection is closed.
    @Test(arguments: ["/quick/one", "/quick/left", "/notes", "/nowhere"])
    func incompleteBodiesUseMemoryUntilTheirConnectionsAreClosed(path: String) async throws {
        let api = try SampleShortcut().api()
        try await LiveServer.run(api) { client, _ in
            let (connections, sentBytes) = (10, 14_000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let release = AsyncStream<Void>.makeStream()
                for _ in 0..<connections {
                    group.addTask {
                        try await RawConnection.open(port: client.port) { raw in
                            try await raw.send(Self.head(path, length: 15_000) + Self.zeros(sentBytes))
                            for await _ in release.stream {}
                        }
                    }
                }
                if path.hasPrefix("/quick") {
                    try await eventually("the bytes are counted") {
                        (1...connections * (sentBytes + 200 - MemoryBudget.freeBytesPerShare)).contains(
                            Self.limit - Self.left(of: api.bodies))
                    }
                }
                group.cancelAll()
                release.continuation.finish()
            }
            try await eventually("all bytes are returned to the budget") { Self.left(of: api.bodies) >= Self.limit }
        }
    }

    @Test func oneAddressLeavesRoomForOthers() throws {
        let budget = MemoryBudget(limit: 100_000)
        let (one, two) = (ClientAddress("192.0.2.1"), ClientAddress("192.0.2.2"))
        do {
            let first = MemoryBudget.Share(of: budget, from: one)
            #expect(first.take(50_000 + MemoryBudget.freeBytesPerShare))
            let second = MemoryBudget.Share(of: budget, from: one)
            #expect(second.take(25_000 + MemoryBudget.freeBytesPerShare) && !second.take(1))
            let other = MemoryBudget.Share(of: budget, from: two)
            #expect(other.take(25_000 + MemoryBudget.freeBytesPerShare) && !other.take(1))
            withExtendedLifetime((first, second, other)) {}
        }
        let again = MemoryBudget.Share(of: budget, from: one)
        #expect(again.take(75_000 + MemoryBudget.freeBytesPerShare) && !again.take(1))
    }

    @Test func refusedClientThatIsStillSendingGetsTheResponse() async throws {
        let api = try SampleShortcut().api()
        try await LiveServer.run(api) { client, _ in
            let share = MemoryBudget.Share(of: api.bodies)
            #expect(share.take(Self.limit + MemoryBudget.freeBytesPerShare))
            let response = try await RawConnection.open(port: client.port) { raw in
                try? await raw.send(Self.head("/quick/left", length: 19_000) + Self.zeros(9_000))
                for _ in 0..<9 {
                    try? await raw.send(Self.zeros(1_000))
                    try? await Task.sleep(for: .milliseconds(20))
                }
                return await raw.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 503") && response.contains("Too many large requests"))
        }
    }
}
