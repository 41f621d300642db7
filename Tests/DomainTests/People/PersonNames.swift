import Domain
import StrictJSON
import Testing

@Suite struct PersonNames {
    private static func faults(_ json: String) throws -> [String] {
        let reader = ObjectReader(try JSONValue.parse(Array(json.utf8)))
        _ = reader.requiredPersonName()
        _ = reader.requiredEmailAddress()
        return reader.finish().map { "\($0.pointer) \($0.code)" }
    }

    @Test(arguments: ["Mina", "김민아", "Ö", "Jean-Luc de la Tour", "O'Neil <x>", "👩‍👩‍👧 Ann"])
    func nameIsStoredAsWritten(name: String) throws {
        #expect(try PersonName(name, at: "/name").text == name)
    }

    @Test func nameIsTrimmed() throws {
        #expect(try PersonName(" \t Mina Kim\u{3000}\n", at: "/name").text == "Mina Kim")
    }

    @Test(arguments: [
        #"a\u0000b"#, #"a\r\nBcc: x@example.org"#, #"a\tb"#, #"a\u001bb"#, #"a\u007fb"#, #"a\u0085b"#, #"a\u2028b"#,
    ])
    func controlCharacterIsRefused(name: String) throws {
        let faults = try Self.faults("{\"name\": \"\(name)\", \"email\": \"a@b.c\"}")
        #expect(faults == ["/name control-character"] || faults == ["/name nul-character"])
    }

    @Test func nameHasOneToTwoHundredCharacters() throws {
        #expect(try Self.faults(#"{"name": " ", "email": "a@b.c"}"#) == ["/name required"])
        let family = "👩‍👩‍👧"
        #expect(try PersonName(String(repeating: family, count: 200), at: "").text.count == 200)
        #expect(throws: Fault.self) { try PersonName(String(repeating: family, count: 201), at: "") }
    }

    @Test func combiningMarksAreLimitedInNamesTitlesAndPlaces() throws {
        // Joiners separate the marks, because the parser refuses more than 30 in a row.
        let marks = { (count: Int) in
            "a" + (1..<count).map { $0.isMultiple(of: 2) ? "\u{200D}" : "\u{301}" }.joined()
        }
        #expect(try PersonName(marks(2000), at: "").text.unicodeScalars.count == 2000)
        #expect(try Self.faults("{\"name\": \"\(marks(2001))\", \"email\": \"a@b.c\"}") == ["/name too-long"])
        for (name, limit) in [("title", 3000), ("place", 3000)] {
            for count in [limit, limit + 1] {
                let members = name == "title" ? "" : #""title": "T", "#
                let body = try JSONValue.parse(Array("{\(members)\"\(name)\": \"\(marks(count))\"}".utf8))
                var faults: [String] = []
                do throws(Problem) { _ = try MeetingDraft.read(body) } catch { faults = error.faults.map(\.code) }
                #expect(faults == (count > limit ? ["too-long"] : []), "\(name) \(count)")
            }
        }
    }

    @Test func missingAndMalformedMembersAreReportedTogether() throws {
        #expect(try Self.faults("{}") == ["/name required", "/email required"])
        #expect(try Self.faults(#"{"name": 1, "email": "nobody"}"#) == ["/name wrong-type", "/email invalid-email"])
    }
}
