import HTTPAPI
import HTTPTypes
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import TestSupport
import Testing

@testable import HTTPServer

/// The resources that one connection may use ahead of the engine.
@Suite(.timeLimit(.minutes(15))) struct ShortcutLimits {
    /// The handlers of a connection, on an event loop that the test runs. The test takes the place of the rest of the
    /// engine.
    private struct Connection {
        let channel = EmbeddedChannel()
        let bodies: MemoryBudget
        let engine: ConnectionGuard
        let handler: ShortcutHandler

        init() throws {
            let (api, logger) = (try SampleShortcut().api(), Logger(label: "test"))
            bodies = api.bodies
            engine = ConnectionGuard(api, connections: OpenConnections(limit: 100, logger: logger))
            handler = ShortcutHandler(
                api, date: DateHeader(), engine: engine, logger: logger)
            try channel.pipeline.syncOperations.addHandlers(
                handler, HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()),
                HTTP1ToHTTPServerCodec(secure: false), engine)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        }

        /// Sends a text and returns the response.
        func send(_ text: String) throws -> String {
            try channel.writeInbound(ByteBuffer(string: text))
            return try channel.readOutbound(as: ByteBuffer.self).map { String(buffer: $0) } ?? ""
        }
    }

    @Test func memoryIsBoundedIfEveryReadEndsInsideAHead() throws {
        let connection = try Connection()
        let (start, end) = ("POST /quick/one", String(SampleShortcut.post("one").dropFirst("POST /quick/one".count)))
        #expect(try connection.send(start).isEmpty)
        for _ in 0..<5_000 { #expect(try connection.send(end + start).hasPrefix("HTTP/1.1 201")) }
        #expect(connection.handler.bytes.capacity <= 4_096)
        _ = try connection.send(end)
        #expect(connection.handler.bytes.capacity == 0)
    }

    @Test func otherConnectionsHaveTheirTurnBetweenPipelinedRequests() throws {
        let connection = try Connection()
        func responses() throws -> Int {
            var count = 0
            while let response = try connection.channel.readOutbound(as: ByteBuffer.self) {
                #expect(String(buffer: response).hasPrefix("HTTP/1.1 200"))
                count += 1
            }
            return count
        }
        let request = "GET /now HTTP/1.1\r\nHost: x\r\n\r\n"
        try connection.channel.writeInbound(ByteBuffer(string: String(repeating: request, count: 39)))
        #expect(try responses() == 16)
        // More of them wait too.
        try connection.channel.writeInbound(ByteBuffer(string: request))
        #expect(try responses() == 0)
        var counts: [Int] = []
        for _ in 0..<4 {
            connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
            counts.append(try responses())
        }
        #expect(counts == [16, 8, 0, 0])
        #expect(try connection.send(request).hasPrefix("HTTP/1.1 200"), "the connection is idle again")
    }

    @Test func headMayHaveAsManyFieldsAsTheEngineAccepts() {
        func read(_ count: Int) -> RequestFrame.Reading {
            let others = (2...count).map { "X-\($0): a\r\n" }.joined()
            return RequestFrame.read(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\(others)\r\n"))
        }
        guard case .request = read(RequestFrame.maxFields), case .unknown = read(RequestFrame.maxFields + 1) else {
            Issue.record("The limit on fields is not enforced.")
            return
        }
    }

    @Test func connectionThatIsBeingClosedMayTimeOut() throws {
        let connection = try Connection()
        let text = "GET /now HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        #expect(try connection.send(text).hasPrefix("HTTP/1.1 200"))
        guard case .none = connection.engine.shortcut else {
            Issue.record("The timers do not close the connection.")
            return
        }
    }

    @Test func requestAfterConnectionCloseIsRefused() throws {
        let connection = try Connection()
        #expect(try connection.send("GET /rows.csv HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").isEmpty)
        let head = HTTPResponse(status: .notFound, headerFields: [.contentLength: "0"])
        try connection.channel.writeOutbound(HTTPResponsePart.head(head))
        try connection.channel.writeOutbound(HTTPResponsePart.end(nil))
        while try connection.channel.readOutbound(as: ByteBuffer.self) != nil {}
        #expect(connection.engine.isIdle)
        // The engine also refuses the request.
        #expect(throws: (any Error).self) { try connection.send(SampleShortcut.post("one")) }
    }

    /// The client sends each request before it has received the response to the previous one.
    @Test func memoryOfAPipelinedBodyIsReturnedWithItsResponse() throws {
        let connection = try Connection()
        let request = SampleShortcut.post("left", String(repeating: " ", count: 15_000))
        let availableBefore = MemoryOfBodies.left(of: connection.bodies)
        _ = try connection.send(request)
        for _ in 0..<10 {
            _ = try connection.send(request)
            let usedBytes = availableBefore - MemoryOfBodies.left(of: connection.bodies)
            #expect(usedBytes == 2 * (15_000 - MemoryBudget.freeBytesPerShare))
            let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])
            try connection.channel.writeOutbound(HTTPResponsePart.head(head))
            try connection.channel.writeOutbound(HTTPResponsePart.end(nil))
        }
    }

    @Test func responseToHEADHasTheLengthButNotTheBody() throws {
        let response = try Connection().send("HEAD /now HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 200") && response.hasSuffix("\r\n\r\n"))
        #expect(response.lowercased().contains("content-length: 7\r\n"))
    }

    @Test func bodyThatArrivesInPartsIsHandledOnce() throws {
        let connection = try Connection()
        let text = SampleShortcut.post("one", #"{"a": 1}"#)
        for byte in text.dropLast(1) { #expect(try connection.send(String(byte)).isEmpty) }
        #expect(try connection.send("}").contains("short one of 8"))
    }
}
