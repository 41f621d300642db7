import StrictJSON
import Testing

/// Combining marks, which take quadratic time to compare if there are many in a row.
@Suite(.timeLimit(.minutes(2))) struct LongRunsOfMarks {
    /// Alternating marks of two classes, so that normal form C has to sort them.
    private static func marks(_ count: Int) -> String {
        (0..<count).map { $0.isMultiple(of: 2) ? "\u{301}" : "\u{316}" }.joined()
    }

    /// Texts that are also written in a longer, decomposed form.
    private static let writing = [
        "", "More time", "Grüße aus Köln", "e\u{302}\u{323}ng vie\u{323}\u{302}t", "שָׁלוֹם", "بِسْمِ ٱللَّٰهِ", "ที่นี่", "क्षत्रिय",
        "བརྒྱུད\u{F73}", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", "한국", "演示", "ｶﾞｷﾞｸﾞ", "👩‍❤️‍💋‍👨🏴󠁧󠁢󠁥󠁮󠁧󠁿1️⃣",
        String(repeating: "e\u{301}", count: 10_000), String(repeating: "👩‍👩‍👧‍👦", count: 1_000),
        String(repeating: "\u{1161}", count: 1_000), "Z" + marks(30) + "a" + marks(30) + "lgo" + marks(30),
    ]

    @Test(arguments: writing) func writingIsAccepted(_ text: String) throws {
        #expect(StreamSafeText.isSafe(text))
        let value = JSONValue.object([.init(text, .string(text))])
        #expect(try JSONValue.parse(value.bytes).bytes == value.bytes)
    }

    @Test(arguments: [
        "\u{301}", "\u{316}", "\u{3099}", "\u{5B0}", "\u{F73}", "\u{F81}", "\u{FF9E}", "\u{1D165}", "\u{E38}",
    ])
    func longerRunIsRefused(_ mark: String) {
        for start in ["", "e", "한", "👩"] {
            #expect(StreamSafeText.isSafe(start + String(repeating: mark, count: 30) + "e"))
            #expect(!StreamSafeText.isSafe(start + String(repeating: mark, count: 31) + "e"))
        }
    }

    @Test func jsonWithALongerRunIsRefused() throws {
        let (most, more) = ("e" + Self.marks(30), "e" + Self.marks(31))
        let escaped = String(repeating: #"\u0301"#, count: 31)
        #expect(try JSONValue.parse("{\"\(most)\": \"\(most)\"}").members?.count == 1)
        for text in [
            "\"\(more)\"", "{\"\(more)\": 1}", "{\"a\": [\"\(more)\"]}", "\"\(escaped)\"", "{\"\(escaped)\":1}",
        ] {
            let fault = #expect(throws: Fault.self) { try JSONValue.parse(text) }
            #expect(fault?.code == "too-many-marks" && fault?.kind == .malformed)
            #expect(fault?.detail.hasPrefix("The text has more than 30 combining marks in a row") == true)
        }
    }

    /// As in RFC 8259, section 8.3.
    @Test(arguments: [2, 40]) func namesAreComparedByTheirBytes(count: Int) throws {
        let others = (2..<count).map { ", \"n\($0)\": 1" }.joined()
        let names = "{\"\u{E9}\": 1\(others), \"e\u{301}\": 2"
        #expect(try JSONValue.parse(names + "}").members?.count == count)
        let fault = #expect(throws: Fault.self) { try JSONValue.parse(names + ", \"e\u{301}\": 3}") }
        #expect(fault?.code == "duplicate-field")
    }

    @Test func hundredsOfKilobytesAreRefusedQuickly() {
        let long = "e" + Self.marks(100_000)
        let names = "{\"\(long)\": 1, \"\(long)a\": 2}"
        let time = ContinuousClock().measure {
            #expect(throws: Fault.self) { try JSONValue.parse(names) }
        }
        #expect(time < .seconds(5))
    }
}
