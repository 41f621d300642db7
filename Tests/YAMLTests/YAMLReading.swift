import Testing

@testable import YAML

@Suite struct YAMLReading {
    private static func plain(_ text: String) -> YAMLNode { .scalar(text, isPlain: true) }

    private static func pair(_ key: YAMLNode, _ value: YAMLNode) -> YAMLNode.Pair { .init(key: key, value: value) }

    @Test func scalarsSequencesAndMappingsKeepTheirOrder() throws {
        let node = try YAMLNode(parsing: "b: 1\na: [x, \"y\", 'ü']\nb: |\n  two\n  lines\nc: {d: ~}\n")
        #expect(
            node
                == .mapping([
                    Self.pair(Self.plain("b"), Self.plain("1")),
                    Self.pair(
                        Self.plain("a"),
                        .sequence([Self.plain("x"), .scalar("y", isPlain: false), .scalar("ü", isPlain: false)])),
                    Self.pair(Self.plain("b"), .scalar("two\nlines\n", isPlain: false)),
                    Self.pair(Self.plain("c"), .mapping([Self.pair(Self.plain("d"), Self.plain("~"))])),
                ]))
    }

    @Test func jsonIsParsedAsYAML() throws {
        let node = try YAMLNode(parsing: #"{"port": 8080}"#)
        #expect(node == .mapping([Self.pair(.scalar("port", isPlain: false), Self.plain("8080"))]))
    }

    @Test(arguments: ["", "# nothing\n", "\n\n"])
    func textWithoutADocumentIsNil(text: String) throws {
        #expect(try YAMLNode(parsing: text) == nil)
    }

    @Test func aliasesAreResolved() throws {
        let node = try YAMLNode(parsing: "a: &x [1]\nb: *x\n")
        guard case .mapping(let pairs)? = node else {
            Issue.record("The document is not a mapping.")
            return
        }
        #expect(pairs.map(\.value) == [.sequence([Self.plain("1")]), .sequence([Self.plain("1")])])
    }

    @Test(arguments: [("a: [1", 2), ("a: b\n c: d: e", 2), ("\tx", 1), ("a: *nowhere", 1), ("ok: 1\nb: \u{1}", 2)])
    func invalidYAMLIsAnErrorWithItsLine(text: String, line: Int) {
        let error = #expect(throws: YAMLError.self) { try YAMLNode(parsing: text) }
        #expect(error?.line == line && error?.description.isEmpty == false, "\(String(describing: error))")
    }

    @Test func deepAndExpandingDocumentsAreRefused() {
        let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(throws: YAMLError.self) { try YAMLNode(parsing: deep) }
        let expanding = (1...9).reduce("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n") { text, level in
            text + "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
                + "]\n"
        }
        #expect(throws: YAMLError.self) { try YAMLNode(parsing: expanding) }
        #expect(throws: YAMLError.self) { try YAMLNode(parsing: "a: &a [*a]") }
    }
}
