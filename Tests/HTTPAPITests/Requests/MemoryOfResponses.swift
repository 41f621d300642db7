import HTTPAPI
import HTTPServer
import TestSupport
import Testing

/// The limit on the memory for responses that clients have not read.
@Suite(.timeLimit(.minutes(5))) struct MemoryOfResponses {
    private static let limit = 256 << 20

    /// Requests a response of 16 MiB, reads only its beginning, and then runs `body`.
    private static func withUnreadResponse(
        _ port: Int, _ body: (RawConnection.Client) async throws -> Void
    ) async throws {
        try await RawConnection.open(port: port, receiveBuffer: 16_384) { raw in
            try await raw.send(SampleShortcut.post("large"))
            let start = try await raw.read(until: "short large")
            #expect(start.contains("201"))
            try await body(raw)
        }
    }

    @Test func responseBeyondTheLimitClosesItsConnection() async throws {
        let api = try SampleShortcut().api()
        try await LiveServer.run(api) { client, _ in
            let share = MemoryBudget.Share(of: api.responses)
            #expect(share.take(Self.limit - 40 << 20))
            try await Self.withUnreadResponse(client.port) { _ in
                try await Self.withUnreadResponse(client.port) { _ in
                    let refused = try await RawConnection.open(port: client.port) { raw in
                        await raw.exchange(SampleShortcut.post("large"))
                    }
                    #expect(refused.utf8.count < 1_000)
                    // Other clients still get their responses.
                    let other = try await client.get("/now").expect(200)
                    #expect(other.text.contains("short"))
                }
            }
            try await eventually("the bytes of closed connections are returned to the budget") {
                MemoryOfBodies.left(of: api.responses) >= 40 << 20
            }
        }
    }

    @Test func responsesThatAreReadUseNoBudget() async throws {
        let api = try SampleShortcut().api()
        try await LiveServer.run(api) { client, _ in
            let share = MemoryBudget.Share(of: api.responses)
            #expect(share.take(Self.limit - 20 << 20))
            for _ in 0..<3 {
                let response = try await client.send(
                    "POST", "/quick/large", body: Array("{}".utf8), headers: ["Content-Type": "application/json"])
                #expect(response.body.count > SampleShortcut.large)
            }
        }
    }

    @Test func smallResponsesAreWrittenBeyondTheLimit() async throws {
        let api = try SampleShortcut().api()
        try await LiveServer.run(api) { client, _ in
            let share = MemoryBudget.Share(of: api.responses)
            #expect(share.take(Self.limit + MemoryBudget.freeBytesPerShare))
            for _ in 0..<5 {
                let response = try await client.get("/now").expect(200)
                #expect(response.text.contains("short"))
            }
        }
    }
}
