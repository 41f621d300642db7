import Testing

@testable import AfterwordClient

/// Event streams as the WHATWG HTML standard defines them in section 9.2, in pieces of every size.
@Suite struct EventStreamReading {
    private func read(_ text: String, pieces: [Int] = []) throws -> ([ServerSentEvent], ServerSentEventParser) {
        var parser = ServerSentEventParser()
        var events: [ServerSentEvent] = []
        var remaining = Array(text.utf8)[...]
        for length in pieces {
            events += try parser.read(Array(remaining.prefix(length)))
            remaining = remaining.dropFirst(length)
        }
        events += try parser.read(Array(remaining))
        return (events, parser)
    }

    private static let stream =
        "\u{FEFF}: hello\r\n\r\nretry: 3000\r\revent: results\nid: 7\ndata: {\"a\":\ndata: \"ü\"}\n\n"
        + ":\n\ndata\r\n\r\nid: 8\n\ndata:x\nfoo: bar\nevent: end\r\rdata: half"
    private static let expected = [
        ServerSentEvent(type: "results", data: "{\"a\":\n\"ü\"}", id: "7"),
        ServerSentEvent(type: "message", data: "", id: "7"),
        ServerSentEvent(type: "end", data: "x", id: "8"),
    ]

    @Test func streamMayBeSplitAnywhere() throws {
        for cut in 0...Self.stream.utf8.count {
            let (events, parser) = try read(Self.stream, pieces: [cut])
            #expect(events == Self.expected, "cut at \(cut)")
            #expect(parser.lastID == "8" && parser.retry == .seconds(3))
        }
    }

    @Test func streamMayBeSplitTwiceAnywhere() throws {
        let length = Self.stream.utf8.count
        for first in 0...length {
            for second in 0...(length - first) {
                let events = try read(Self.stream, pieces: [first, second]).0
                guard events == Self.expected else {
                    Issue.record("cut at \(first) and \(first + second)")
                    return
                }
            }
        }
    }

    @Test func streamMayArriveByteByByte() throws {
        let pieces = Array(repeating: 1, count: Self.stream.utf8.count)
        #expect(try read(Self.stream, pieces: pieces).0 == Self.expected)
    }

    @Test func carriageReturnAndLineFeedEndOneLine() throws {
        let events = try read("event: a\r\ndata: 1\r\ndata: 2\r\n\r\n", pieces: [9]).0
        #expect(events == [ServerSentEvent(type: "a", data: "1\n2", id: "")])
    }

    @Test func oneSpaceAfterTheColonIsIgnored() throws {
        #expect(try read("data:  two\n\n").0.map(\.data) == [" two"])
        #expect(try read("data:none\n\n").0.map(\.data) == ["none"])
        #expect(try read("data: a:b\n\n").0.map(\.data) == ["a:b"])
    }

    @Test func unknownFieldsAndInvalidValuesAreIgnored() throws {
        let (events, parser) = try read("retry: soon\nretry:\nid: a\u{0}b\nDATA: x\ndata : x\ndatax\ndata: y\n\n")
        #expect(events == [ServerSentEvent(type: "message", data: "y", id: "")])
        #expect(parser.retry == nil)
    }

    @Test func eventTypeWithoutDataIsDiscarded() throws {
        #expect(try read("event: results\n\ndata: x\n\n").0.map(\.type) == ["message"])
    }

    @Test func emptyIDClearsTheLastEventID() throws {
        #expect(try read("id: 7\ndata: x\n\nid\ndata: y\n\n").0.map(\.id) == ["7", ""])
    }

    @Test func idOfAnIncompleteEventIsIgnored() throws {
        var (_, parser) = try read("id: 7\ndata: x\n\nid: 8\ndata: ha")
        parser.reconnect()
        #expect(parser.lastID == "7")
        #expect(try parser.read(Array("data: new\n\n".utf8)).map(\.data) == ["new"])
    }

    @Test func overlongLineIsRefused() throws {
        var parser = ServerSentEventParser()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        #expect(throws: AfterwordError.self) {
            for _ in 0..<17 { _ = try parser.read(piece) }
        }
    }
}
