import HTTPAPI
import HTTPServer
import HTTPTypes
import Logging
import NIOCore
import StrictJSON
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct StreamedResponses {
    @Test func trailersFollowTheBody() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send("GET /rows.csv HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return await raw.readToEnd()
            }
            #expect(response.lowercased().contains("trailer: afterword-rows"))
            #expect(response.contains("3\r\n1\r\n\r\n3\r\n2\r\n\r\n3\r\n3\r\n\r\n0\r\n"))
            #expect(response.lowercased().hasSuffix("afterword-rows: 3\r\n\r\n"))
            #expect(try await client.get("/rows.csv").text == "1\r\n2\r\n3\r\n")
        }
    }

    /// HTTP/1.0 has neither chunks nor trailers.
    @Test(arguments: ["", "Connection: keep-alive\r\n", "Host: x\r\n"])
    func responseToHTTP10EndsWithTheConnection(fields: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let streamed = try await RawConnection.open(port: client.port) { raw in
                await raw.exchange("GET /rows.csv HTTP/1.0\r\n\(fields)\r\n")
            }
            #expect(streamed.hasPrefix("HTTP/1.0 200 ") && streamed.hasSuffix("\r\n\r\n1\r\n2\r\n3\r\n"), "\(streamed)")
            let head = streamed.lowercased()
            #expect(head.contains("\r\nconnection: close\r\n"))
            #expect(!head.contains("transfer-encoding") && !head.contains("trailer"), "\(streamed)")
            // A second request on the connection gets no response.
            let request = "GET /words/one HTTP/1.0\r\n\(fields)\r\n"
            let plain = try await RawConnection.open(port: client.port) { await $0.exchange(request + request) }
            #expect(plain.split(separator: "\"one\"", omittingEmptySubsequences: false).count == 2, "\(plain)")
            #expect(plain.lowercased().contains("\r\ncontent-length: 5\r\n"))
        }
    }

    @Test func expectContinueIsIgnoredInHTTP10() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                await raw.exchange(
                    "POST /notes HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 14\r\n"
                        + "Expect: 100-continue\r\n\r\n{\"title\": \"a\"}")
            }
            #expect(response.hasPrefix("HTTP/1.0 201 "), "\(response)")
        }
    }

    @Test func failedStreamIsRecognizable() async throws {
        let tape = LogTape()
        try await LiveServer.run(SampleAPI.api(), logger: tape.logger(.info)) { client, _ in
            _ = await #expect(throws: (any Error).self) { try await client.get("/torn.csv") }
        }
        #expect(tape.lines.contains { $0.hasPrefix("error A response ended early") && $0.contains("Secret") })
    }

    @Test func stalledReaderIsDisconnected() async throws {
        var limits = ConnectionLimits()
        limits.stallTimeout = .milliseconds(200)
        let (ends, end) = AsyncStream<Void>.makeStream()
        let endless = Route(.get, "/endless", access: .anyone, produces: [MediaType.csv], streamed: true) { _ in
            .stream(as: MediaType.csv) { writer in
                defer { end.finish() }
                let chunk = ByteBuffer(repeating: 0x61, count: 1 << 20)
                while true { try await writer.write(chunk) }
            }
        }
        try await LiveServer.run(SampleAPI.api(adding: [endless], limits: limits)) { client, _ in
            try await RawConnection.open(port: client.port) { raw in
                try await raw.send("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
                for await _ in ends {}
            }
        }
    }
}
