import HTTPServer
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPAPI

/// Queries and header fields of thousands of elements, of which few are read.
@Suite(.timeLimit(.minutes(5))) struct LongFields {
    @Test func queryWithTooManyParametersIsOneFault() async throws {
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            let most = (["limit=7"] + (1..<64).map { "p\($0)" }).joined(separator: "&")
            let allowed = try await client.get("/list?\(most)")
            #expect(allowed.status == 422 && allowed.faults.count == 63, "\(allowed.text)")
            let many = String(repeating: "a&", count: 4_000)
            for path in ["/list?\(most)&p64", "/list?\(many)", "/things/latest?\(most)&p64"] {
                let response = try await client.get(path)
                #expect(response.status == 422 && response.faults == ["? too-many-parameters"], "\(response.text)")
            }
        }
    }

    @Test func longListOfPreferencesIsIgnored() {
        func acceptsGzip(_ codings: String) -> Bool { Gzip.isAccepted(by: [.acceptEncoding: codings]) }
        let rest = String(repeating: ",a", count: 250)
        #expect(!ContentNegotiation.admits("text/html,a", [MediaType.json]))
        #expect(ContentNegotiation.admits("text/html" + rest, [MediaType.json]))
        #expect(AcceptedLanguage.best(of: ["ko"], in: "ko,a") == "ko")
        #expect(AcceptedLanguage.best(of: ["ko"], in: "ko" + rest) == nil)
        #expect(acceptsGzip("gzip,a") && !acceptsGzip("gzip" + rest))
    }

    @Test func longRunsOfMarksAreRefused() async throws {
        let (most, more) = (String(repeating: "%CC%81", count: 30), String(repeating: "%CC%81", count: 31))
        #expect(PercentEncoding.decode("e\(most)".utf8) != nil && PercentEncoding.decode("e\(more)".utf8) == nil)
        let long = String(repeating: "%CC%81%CC%96", count: 100_000)
        let time = ContinuousClock().measure { #expect(PercentEncoding.decode(long.utf8) == nil) }
        #expect(time < .seconds(5))
        try await LiveServer.run(SampleAPI.api()) { client, _ in
            for (query, fault) in [
                ("e\(most)=1", "?e" + String(repeating: "\u{301}", count: 30) + " unknown-parameter"),
                ("e\(more)=1", "? invalid-encoding"), ("limit=\(more)", "? invalid-encoding"),
            ] {
                let response = try await client.get("/list?\(query)")
                #expect(response.status == 422 && response.faults == [fault], "\(response.text)")
            }
            for (count, status) in [(15, 200), (16, 400), (3_000, 400)] {
                let marks = "e" + String(repeating: "\u{301}\u{316}", count: count)
                for field in ["Cookie: \(marks)=1", "Cookie: a=\(marks)", "If-None-Match: \"\(marks)\"", "X: \(marks)"]
                {
                    let response = try await RawConnection.open(port: client.port) { raw in
                        try await raw.send("GET /list HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(field)\r\n\r\n")
                        return await raw.readToEnd()
                    }
                    #expect(response.hasPrefix("HTTP/1.1 \(status)"), "\(response)")
                }
            }
        }
    }

    @Test func listOfTagsHasALargestLength() {
        func tags(_ count: Int) -> String { Array(repeating: "\"a\"", count: count).joined(separator: ", ") }
        #expect(ETag.List(parsing: tags(64)) == .tags(Array(repeating: ETag("a"), count: 64)))
        #expect(ETag.List(parsing: tags(65)) == nil)
    }

    @Test func lastProxyIsFoundAfterThousandsOfClaims() {
        let claims = String(repeating: "192.0.2.9, ", count: 1_000)
        let client = ClientAddress(peer: "127.0.0.1", forwarded: claims + " 192.0.2.1 ", trustedProxies: 1)
        #expect(client.text == "192.0.2.1")
    }
}
