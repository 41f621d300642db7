import Foundation
import HTTPAPI
import HTTPServer
import HTTPTypes
import StrictJSON
import TestSupport
import Testing

/// Requests after which the parser expects another protocol on the connection. The service speaks none.
@Suite(.timeLimit(.minutes(5))) struct ProtocolUpgrades {
    private static let offer = "Connection: Upgrade\r\nUpgrade: foo\r\n"

    /// A proxy keeps a connection that does not say so open, and sends the next client's request on it, which is not read.
    @Test(arguments: [
        ("GET /list HTTP/1.1\r\nHost: x\r\n\(offer)\r\n", "200"),
        // As Java's client does in its first request to an `http` address.
        ("GET /list HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n", "200"),
        ("POST /notes HTTP/1.1\r\nHost: x\r\n\(offer)Content-Length: 2\r\n\r\n{}", "4"),
        ("CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n", "4"),
        // The first request is answered without the parser.
        ("GET /list HTTP/1.1\r\nHost: x\r\n\r\nGET /list HTTP/1.1\r\nHost: x\r\n\(offer)\r\n", "200"),
    ])
    func connectionIsClosedAfterTheResponse(request: String, status: String) async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let response = try await RawConnection.open(port: client.port) {
                await $0.exchange(request + "GET /list HTTP/1.1\r\nHost: x\r\n\r\n")
            }
            let responses = response.components(separatedBy: "HTTP/1.1 ").dropFirst()
            #expect(responses.count == request.components(separatedBy: "HTTP/1.1").count - 1, "\(response)")
            #expect(responses.allSatisfy { $0.hasPrefix(status) }, "\(response)")
            #expect(responses.last?.lowercased().contains("\r\nconnection: close\r\n") == true, "\(response)")
        }
    }

    private static func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
        return (Int(pages) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    @Test func bytesAfterAnOfferedProtocolAreNotKept() async throws {
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        let (gates, open) = AsyncStream<Void>.makeStream()
        let slow = Route(.get, "/slow", access: .anyone) { _ in
            arrive.finish()
            for await _ in gates {}
            return .json(.string("done"))
        }
        try await LiveServer.run(SampleAPI.api(adding: [slow])) { client, _ in
            let response = try await RawConnection.open(port: client.port) { raw in
                try await raw.send("GET /slow HTTP/1.1\r\nHost: x\r\n\(Self.offer)\r\n")
                for await _ in arrivals {}
                let megabyte = String(repeating: "x", count: 1 << 20)
                let before = try Self.residentBytes()
                for _ in 0..<400 { try await raw.send(megabyte) }
                let growth = try Self.residentBytes() - before
                #expect(growth < 200 << 20, "\(growth) bytes")
                open.finish()
                return await raw.readToEnd()
            }
            #expect(response.contains("\"done\""))
        }
    }
}
