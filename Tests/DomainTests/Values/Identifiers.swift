import Domain
import Foundation
import Testing

@Suite struct Identifiers {
    /// RFC 9562, appendix A.6.
    @Test func timeBasedIdsMatchTheRFC() {
        let now = Date(timeIntervalSince1970: 1_645_557_742)
        let id = UUIDv7.make(now: now, random: (0xCC3, 0x18C4_DC0C_0C07_398F))
        #expect(id.uuidString == "017F22E2-79B0-7CC3-98C4-DC0C0C07398F")
    }

    @Test func timeBasedIdsSortByTime() {
        let ids = (0..<100).map {
            UUIDv7.make(now: Date(timeIntervalSince1970: 1_795_253_400 + Double($0) / 1000 + 0.0001)).uuidString
        }
        #expect(ids == ids.sorted())
        #expect(Set((0..<1000).map { _ in UUIDv7.make(now: Date(timeIntervalSince1970: 5)) }).count == 1000)
    }

    @Test func hashBasedIdsKeepAllButSixBits() {
        let id = UUIDv8.make([UInt8](repeating: 0xFF, count: 32))
        #expect(id.uuidString == "FFFFFFFF-FFFF-8FFF-BFFF-FFFFFFFFFFFF")
        #expect(UUIDv8.make(Array(0..<16)).uuidString == "00010203-0405-8607-8809-0A0B0C0D0E0F")
    }

    @Test func randomIdsHaveTheirVersionAndDiffer() {
        let ids = (0..<1000).map { _ in UUIDv4.make((0..<16).map { _ in .random(in: 0...255) }) }
        #expect(Set(ids).count == 1000)
        #expect(ids.allSatisfy { $0.uuid.6 & 0xF0 == 0x40 && $0.uuid.8 & 0xC0 == 0x80 })
    }

    @Test func idsAreWrittenInLowerCase() {
        for id in [UUIDv8.make([UInt8](repeating: 0xFF, count: 16))] + (0..<200).map({ _ in UUID() }) {
            #expect(id.lowercased == id.uuidString.lowercased())
        }
    }

    @Test(arguments: [
        ("ada@example.org", "ada@example.org"), ("  Ada.L+x@Example.ORG\n", "ada.l+x@example.org"),
        ("한글@예시.한국", "한글@예시.한국"), ("o'neil@x", "o'neil@x"),
    ])
    func addressesAreComparedTrimmedAndInLowerCase(_ input: String, _ normalised: String) {
        #expect(EmailAddress(input)?.normalised == normalised)
        #expect(EmailAddress(input) == EmailAddress(input.uppercased()))
    }

    @Test(arguments: [
        "v\u{130}ctim@example.org", "a@\u{130}.org", "", " ", "ada", "@", "ada@", "@x", "a@b@c", "a b@c", "a@b c",
        "a\u{0}@b", "a@b\nc", "a@.b", "a@b.", "a\t@b",
        String(repeating: "a", count: 250) + "@b.de",
    ])
    func invalidAddressesAreNil(_ input: String) {
        #expect(EmailAddress(input) == nil)
    }

    @Test(arguments: [
        "\u{200b}", "\u{200c}", "\u{200d}", "\u{200e}", "\u{202e}", "\u{2060}", "\u{2066}", "\u{feff}", "\u{ad}",
        "\u{34f}", "\u{61c}", "\u{180e}", "\u{3164}", "\u{fe0f}", "\u{fff9}", "\u{e0041}", "\u{1}", "\u{7f}",
        "\u{85}", "\u{2028}",
    ])
    func addressesWithInvisibleCharactersAreNil(_ character: String) {
        #expect(EmailAddress("a\(character)b@example.org") == nil)
        #expect(EmailAddress("a@exam\(character)ple.org") == nil)
    }

    @Test func similarLettersAreFoldedAsInTheDatabase() {
        #expect(EmailAddress("\u{212a}im@x.org") == EmailAddress("kim@x.org"))
        #expect(EmailAddress("\u{e9}@x.org") != EmailAddress("e\u{301}@x.org"))
    }

    @Test func addressKeepsItsSpelling() {
        #expect(EmailAddress(" Ada@X.org ")?.text == "Ada@X.org")
    }
}
