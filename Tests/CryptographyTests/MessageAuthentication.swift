import Cryptography
import Testing

@Suite struct MessageAuthentication {
    /// RFC 4231, test cases 1 to 4, 6 and 7. The keys of the last two are longer than a block.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        (
            Array(0x01...0x19), [UInt8](repeating: 0xcd, count: 50),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ])
    func hmacMatchesTheRFC(_ key: [UInt8], _ message: [UInt8], _ expected: String) {
        #expect(HMACSHA256.authenticate(message, key: key) == bytes(hex: expected))
    }

    /// RFC 4231, test case 5, publishes only 16 bytes.
    @Test func hmacMayBeTruncated() {
        let code = HMACSHA256.authenticate(
            Array("Test With Truncation".utf8), key: [UInt8](repeating: 0x0c, count: 20))
        #expect(Array(code.prefix(16)) == bytes(hex: "a3b6167473100ee06e0c796c2955552b"))
    }

    /// A key that fills its block is used as it is. A longer key is hashed. Python computed the expected values.
    @Test(arguments: [
        (0, "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        (64, "Hi There", "ebef34e13d0a0fe04593d043bc7a865106db0604211d404c18206d862e5d7852"),
        (65, "Hi There", "00af6c42340b99e2e1d9a1cdf1547be431fe2e9bab3215c68d013ba858891927"),
        (65, "", "34988e6e71c55fcc3bff1b2c3671b4b7b44ece3f7c2dd1507e0e2788c4a51cf5"),
    ])
    func keysMayHaveAnyLength(_ count: Int, _ message: String, _ expected: String) {
        let key = [UInt8](repeating: 0xaa, count: count)
        #expect(HMACSHA256.authenticate(Array(message.utf8), key: key) == bytes(hex: expected))
    }

    @Test func keyCanBeReusedAndPartsIncludeTheirLengths() {
        let hmac = HMACSHA256(key: [1, 2, 3])
        let first = hmac.authenticate(parts: [[1], [2]])
        #expect(hmac.authenticate(parts: [[2], [1]]) != first)
        #expect(hmac.authenticate(parts: [[1], [2]]) == first)
        #expect(HMACSHA256.authenticate(parts: [[1], [2]], key: [1, 2, 3]) == first)
        #expect(hmac.authenticate(parts: [[1, 2]]) != first)
        #expect(hmac.authenticate(parts: []) == hmac.authenticate([]))
        let message: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2]
        #expect(hmac.authenticate(message) == first)
    }

    /// RFC 5869, test cases 1 to 3.
    @Test(
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 22), Array(0x00...0x0c), Array(0xf0...0xf9), 42,
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                Array(0x00...0x4f), Array(0x60...0xaf), Array(0xb0...0xff), 82,
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                    + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
            ),
            (
                [UInt8](repeating: 0x0b, count: 22), [], [], 42,
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ] as [([UInt8], [UInt8], [UInt8], Int, String)])
    func hkdfMatchesTheRFC(
        _ key: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ count: Int, _ expected: String
    ) {
        #expect(HKDF.sha256(key: key, salt: salt, info: info, count: count) == bytes(hex: expected))
    }

    @Test func eachPurposeHasItsOwnKey() {
        let receipt = HKDF.sha256(key: [1], salt: [2], info: "afterword/1/receipt")
        #expect(receipt.count == 32)
        #expect(receipt != HKDF.sha256(key: [1], salt: [2], info: "afterword/1/respondent"))
    }

    @Test func secretsAreComparedCompletely() {
        #expect(constantTimeEquals([], []))
        #expect(constantTimeEquals([1, 2], [1, 2]))
        #expect(!constantTimeEquals([1, 2], [1, 3]))
        #expect(!constantTimeEquals([1, 2], [1, 2, 3]))
    }
}
