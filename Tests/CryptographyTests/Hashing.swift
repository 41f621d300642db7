import Cryptography
import Testing

@Suite struct Hashing {
    /// The examples of FIPS 180-4, as published by NIST.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func sha256MatchesTheStandard(_ message: String, _ expected: String) {
        #expect(SHA256.hash(message.utf8) == bytes(hex: expected))
    }

    @Test func inputMayArriveInPieces() {
        var hash = SHA256()
        for _ in 0..<1000 { hash.update([UInt8](repeating: UInt8(ascii: "a"), count: 1000)) }
        let expected = bytes(hex: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        #expect(hash.finish() == expected)
        #expect(hash.finish() == expected)
        hash.update(Array("b".utf8).lazy.map { $0 })
        #expect(hash.finish() != expected)
    }
}
