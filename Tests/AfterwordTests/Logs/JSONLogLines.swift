import Foundation
import Logging
import StrictJSON
import Synchronization
import Testing

@testable import afterword

@Suite struct JSONLogLines {
    /// Keeps the written texts, one element for each call.
    private final class Tape: TextOutputStream, Sendable {
        let texts = Mutex<[String]>([])

        func write(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private static func event(_ message: String, _ metadata: Logger.Metadata = [:]) -> LogEvent {
        LogEvent(
            level: .notice, message: "\(message)", metadata: metadata, source: "HTTPAPI", file: "", function: "",
            line: 1)
    }

    private static let handler = JSONLogHandler(label: "afterword", stream: Tape())

    @Test func lineHasItsOwnMembersThenTheMetadata() {
        var handler = Self.handler
        handler[metadataKey: "request"] = "r1"
        handler[metadataKey: "count"] = "40"
        handler[metadataKey: "hb.request.id"] = "7"
        let event = Self.event(
            "Sign-in failed", ["count": .stringConvertible(41), "list": ["a", ["b": "c", "a": []]], "time": "noon"])
        let line = handler.line(for: event, at: Date(timeIntervalSince1970: 1_800_000_000.25))
        #expect(
            line.text == """
                {"time":"2027-01-15T08:00:00.250Z","level":"notice","label":"afterword","module":"HTTPAPI",\
                "message":"Sign-in failed","count":"41","list":["a",{"a":[],"b":"c"}],"metadata.time":"noon",\
                "request":"r1"}
                """)
    }

    @Test(arguments: [(0.0, "000"), (0.009, "009"), (0.9999, "999")])
    func timesHaveMilliseconds(fraction: Double, digits: String) {
        let line = Self.handler.line(for: Self.event("x"), at: Date(timeIntervalSince1970: 1_800_000_000 + fraction))
        #expect(line["time"]?.string == "2027-01-15T08:00:00.\(digits)Z")
        #expect(line["time"]?.string.flatMap(RFC3339.parse) != nil)
    }

    @Test func everyTextIsOneLineOfValidJSON() throws {
        let bytes = (0...255).map { UInt8($0) }
        let text = String(decoding: bytes + Array("\u{85}\u{2028}\u{2029}\u{10FFFF}\"\\\r\n".utf8), as: UTF8.self)
        let tape = Tape()
        JSONLogHandler(label: "afterword", stream: tape).log(event: Self.event(text, [text: "\(text)"]))
        let written = tape.texts.withLock { $0 }
        try #require(written.count == 1)
        let line = try #require(written.first)
        #expect(line.hasSuffix("}\n"))
        let escaped = LogLines.escaped(line.dropLast())
        let isControl = { (scalar: Unicode.Scalar) in scalar.properties.generalCategory == .control }
        #expect(!escaped.unicodeScalars.contains(where: isControl))
        #expect(!escaped.contains("\u{2028}") && !escaped.contains("\u{2029}"))
        let value = try JSONValue.parse(escaped)
        #expect(value["message"]?.string == text && value[text]?.string == text)
    }

    @Test func controlCharactersAreEscapedInEveryFormat() {
        #expect(
            LogLines.escaped("a\nb\r\u{1b}[31m\t\u{7f}\u{85}\u{2028}é👍") == #"a\nb\r\u001b[31m\t\u007f\u0085\u2028é👍"#)
        #expect(LogLines.escaped("") == "")
    }
}
