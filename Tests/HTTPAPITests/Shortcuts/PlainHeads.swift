import Foundation
import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import HTTPServer

/// `RequestFrame` reads requests ahead of the engine, and must agree with the engine's parser.
@Suite struct PlainHeads {
    private static func read(_ text: String) -> RequestFrame.Reading { RequestFrame.read(ByteBuffer(string: text)) }

    private static func plain(_ text: String) -> PlainHead? {
        guard case .request(let frame) = read(text) else { return nil }
        return frame.plain
    }

    private static func post(_ fields: [String] = [], path: String = "/v1/forms/abcd/submissions") -> String {
        (["POST \(path) HTTP/1.1", "Host: localhost:8080", "Content-Length: 2"] + fields + ["", ""])
            .joined(separator: "\r\n")
    }

    @Test func plainRequestsAreReadWithTheirFields() throws {
        let text = Self.post(["Content-Type: application/json", "IDEMPOTENCY-key: abc", "X-Other:  a b"]) + "{}"
        guard case .request(let frame) = Self.read(text), let head = frame.plain else {
            Issue.record("The request is not plain.")
            return
        }
        #expect(frame.headLength == text.utf8.count - 2 && frame.bodyLength == 2)
        #expect(head.method == .post && head.path == "/v1/forms/abcd/submissions" && !head.closesConnection)
        #expect(head.value("content-type") == "application/json" && head.value("idempotency-key") == "abc")
        #expect(head.value("x-other") == "a b" && head.value("accept") == nil)
        let get = try #require(Self.plain("GET /livez HTTP/1.1\r\nhost: x\r\nConnection: Close\r\n\r\n"))
        #expect(get.method == .get && get.closesConnection)
    }

    @Test(arguments: [
        "Expect: 100-continue", "Content-Encoding: gzip", "Host: other", "X-A: b \t", "X-A: caf\u{e9}", "TE: trailers",
    ])
    func requestsWithUnusualFieldsAreNotPlainButHaveALength(field: String) {
        let text = Self.post([field])
        guard case .request(let frame) = Self.read(text) else {
            Issue.record("The end of the request is unknown.")
            return
        }
        #expect(frame.plain == nil && frame.length == text.utf8.count + 2)
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked", "Content-Length: 2", "Upgrade: h2c", "Connection: upgrade", "Trailer: X-A",
        "Connection: close", " folded", "X-A : b", "X-A: b\rc", "X-A: b\u{0}c", "no colon", ": empty",
        "Connection: keep-alive\r\nConnection: keep-alive",
    ])
    func ambiguousFramingIsLeftToTheEngine(field: String) {
        guard case .unknown = Self.read(Self.post([field])) else {
            Issue.record("The request was read.")
            return
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.0\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "BREW / HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\n\n", "\r\nGET / HTTP/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 0x2\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: \r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
    ])
    func malformedHeadsAreLeftToTheEngine(text: String) {
        guard case .unknown = Self.read(text) else {
            Issue.record("The request was read.")
            return
        }
    }

    @Test(arguments: [
        "GET /livez?a=1 HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a%20b HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://x/livez HTTP/1.1\r\nHost: x\r\n\r\n", "GET /livez HTTP/1.1\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "PUT /livez HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16385\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: x\r\nHOST: x\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost:\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: x/y\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: a, b\r\n\r\n",
    ])
    func requestsThatNeedTheEngineAreNotPlain(text: String) {
        guard case .request(let frame) = Self.read(text) else {
            Issue.record("The end of the request is unknown.")
            return
        }
        #expect(frame.plain == nil)
    }

    @Test(arguments: [
        "x", "a.example", "A-1_b.example:8080", "192.0.2.1:80", "[2001:db8::1]", "[::ffff:192.0.2.1]:65535", "a%2Db",
        "x:",
    ])
    func validHostIsRecognized(value: String) {
        #expect(HostField.isValid(value.utf8))
        #expect(Self.plain("GET /livez HTTP/1.1\r\nhost: \(value)\r\n\r\n") != nil)
    }

    @Test(arguments: [
        "", ":80", "a b", "a/b", "a?b", "a#b", "a\\b", "ann@x", "x:y", "x:80:80", "x:123456", "[::1", "::1", "[]",
        "[g]", "[/a.example", "[::1@a.example",
        "[::1]x", "a%2", "a%zz", "caf\u{e9}", "a\tb", "http://x", "\"x\"", "<x>", "a\u{7f}",
    ])
    func invalidHostIsRecognized(value: String) {
        #expect(!HostField.isValid(value.utf8))
        #expect(Self.plain("GET /livez HTTP/1.1\r\nHost: \(value)\r\n\r\n") == nil)
    }

    @Test func everyPrefixOfAHeadIsIncomplete() {
        let text = Self.post(["Content-Type: application/json"])
        for length in 0..<text.utf8.count {
            guard case .incomplete = Self.read(String(decoding: text.utf8.prefix(length), as: UTF8.self)) else {
                Issue.record("\(length) bytes were read as a head.")
                return
            }
        }
        let endless = "GET / HTTP/1.1\r\nX-A: " + String(repeating: "a", count: RequestFrame.longestHead)
        guard case .unknown = Self.read(endless) else {
            Issue.record("The length of a head is not limited.")
            return
        }
    }

    /// Both parsers read random heads, half of them damaged. If `RequestFrame` reads a request, the engine's parser
    /// must read the same request, and then the one that follows it.
    @Test func engineReadsTheSameRequests() throws {
        var random = SeededNumbers(seed: 20_261_125)
        var (requests, plain, incomplete) = (0, 0, 0)
        for _ in 0..<20_000 {
            let text = Self.randomHead(&random)
            let bytes = ByteBuffer(bytes: text)
            switch RequestFrame.read(bytes) {
            case .unknown: continue
            case .incomplete:
                incomplete += 1
                let parts = try EngineParser().read(bytes)
                #expect(parts.isEmpty || parts.first == "error", "\(String(decoding: text, as: UTF8.self))")
            case .request(let frame):
                requests += 1
                plain += frame.plain == nil ? 0 : 1
                var sent = bytes.getSlice(at: 0, length: min(bytes.readableBytes, frame.length)) ?? ByteBuffer()
                sent.writeRepeatingByte(UInt8(ascii: "x"), count: frame.length - sent.readableBytes)
                let parser = try EngineParser()
                let parts = try parser.read(sent)
                if let head = frame.plain {
                    #expect(
                        parts.first == "head \(head.method.rawValue) \(head.path)",
                        "\(String(decoding: text, as: UTF8.self))")
                    for (name, value) in parser.fields {
                        #expect(head.value(name.lowercased()) == value, "\(String(decoding: text, as: UTF8.self))")
                    }
                    if head.closesConnection { continue }
                } else if parts.contains("error") {
                    // The engine refuses the request and closes the connection.
                    continue
                }
                #expect(
                    parts.dropFirst() == ["body \(frame.bodyLength)", "end"],
                    "\(String(decoding: text, as: UTF8.self))")
                let next = try parser.read(ByteBuffer(string: "GET /next HTTP/1.1\r\nHost: x\r\n\r\n"))
                #expect(next == ["head GET /next", "body 0", "end"], "\(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(requests > 2_000 && plain > 500 && incomplete > 100)
    }

    private static func randomHead(_ random: inout SeededNumbers) -> [UInt8] {
        let methods = ["GET", "POST", "POST", "POST", "HEAD", "PUT", "DELETE", "BREW"]
        let paths = ["/livez", "/v1/forms/abcd/submissions", "/", "//x", "/a?b", "/%41", "*", "http://x/"]
        let fields = [
            "Host: x", "Host: x", "Content-Length: 2", "Content-Length: 02", "Content-Type: application/json",
            "Accept: */*", "Connection: keep-alive", "Connection: close", "Transfer-Encoding: chunked", "X-A:b",
            "X-A:  b c ", "Idempotency-Key: 0123456789abcdef", "Expect: 100-continue", "Upgrade: h2c", "x-\u{e9}: a",
            "Host: a/b", "Connection: keep-alive, close", "Content-Length: 1, 1", "Proxy-Connection: close",
            "Cookie: a=b; c=d", " folded", "X-A:",
        ]
        var lines = [
            "\(methods.randomElement(using: &random) ?? "GET") \(paths.randomElement(using: &random) ?? "/") HTTP/1.1",
            "Host: y",
        ]
        if Bool.random(using: &random) { lines.append("Content-Length: 2") }
        for _ in 0..<Int.random(in: 0...3, using: &random) { lines.append(fields.randomElement(using: &random) ?? "") }
        var bytes = Array((lines + ["", "{}"]).joined(separator: "\r\n").utf8)
        guard Bool.random(using: &random) else { return bytes }
        let odd: [UInt8] = [0, 9, 10, 13, 32, 58, 48, 127, 128, 255]
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let byte = odd.randomElement(using: &random) ?? 0
            switch Int.random(in: 0...2, using: &random) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            default: bytes.remove(at: place)
            }
        }
        if Int.random(in: 0...9, using: &random) == 0 {
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
        }
        return bytes
    }
}

/// The engine's parser, followed by its `MessageRules`.
private final class EngineParser {
    private let channel: EmbeddedChannel
    private(set) var fields: [(String, String)] = []

    init() throws {
        channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(ByteToMessageHandler(HTTPRequestDecoder()), MessageRules())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    /// The parts of the requests in `bytes`, with the total size of each body.
    func read(_ bytes: ByteBuffer) throws -> [String] {
        var parts: [String] = []
        var body = 0
        do { try channel.writeInbound(bytes) } catch { parts.append("error") }
        while let part = try channel.readInbound(as: HTTPServerRequestPart.self) {
            switch part {
            case .head(let head):
                parts.append("head \(head.method.rawValue) \(head.uri)")
                fields = head.headers.map { ($0.name, $0.value) }
                body = 0
            case .body(let bytes): body += bytes.readableBytes
            case .end: parts += ["body \(body)", "end"]
            }
        }
        return parts
    }
}
