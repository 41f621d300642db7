import Cryptography
import Testing

@Suite struct TokensAsText {
    /// RFC 4648, section 10, without padding.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func examplesOfTheRFCRoundTrip(_ plain: String, _ encoded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test func alphabetIsURLSafe() {
        #expect(Base64URL.encode([0xfb, 0xff, 0xbf]) == "-_-_")
        #expect(Base64URL.decode("-_-_") == [0xfb, 0xff, 0xbf])
    }

    @Test(arguments: ["A", "AAAAA", "Zg==", "Zh", "Zm9", "+/+/", "Zg ", "Zg\n", "é"])
    func nonCanonicalSpellingsAreRefused(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func randomBytesDiffer() {
        let first = RandomBytes.make(32)
        #expect(first.count == 32)
        #expect(first != RandomBytes.make(32))
        #expect(RandomBytes.make(0).isEmpty)
        for count in 0..<64 {
            let bytes = RandomBytes.make(count)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }
}
