import Foundation
import Testing

@testable import Cryptography

@Suite struct EncryptedStreams {
    private static let key = try? PassphraseKey(
        Array("a passphrase".utf8), .init(salt: [UInt8](repeating: 7, count: 16), passes: 1, memory: 8 << 10))
    private static let chunkByteCount = SecretStream.chunkByteCount

    private static func encrypt(_ text: [UInt8], partSize: Int = 10_000) throws -> [UInt8] {
        let encryptor = SecretStream.Encryptor(try #require(key))
        var output = encryptor.header
        for start in stride(from: 0, to: text.count, by: partSize) {
            output += encryptor.update(text[start..<min(text.count, start + partSize)])
        }
        return output + encryptor.finish()
    }

    private static func decrypt(
        _ bytes: [UInt8], _ key: PassphraseKey? = key, partSize: Int = 7_919
    ) throws -> [UInt8] {
        let decryptor = SecretStream.Decryptor(try #require(key))
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: partSize) {
            output += try decryptor.update(bytes[start..<min(bytes.count, start + partSize)])
        }
        return output + (try decryptor.finish())
    }

    private static func text(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    @Test(
        arguments: [
            0, 1, chunkByteCount - 1, chunkByteCount, chunkByteCount + 1, 2 * chunkByteCount, 3 * chunkByteCount + 5,
        ], [1_000, 65_536, 1 << 20])
    func decryptionReturnsTheText(count: Int, partSize: Int) throws {
        let text = Self.text(count)
        let encrypted = try Self.encrypt(text, partSize: partSize)
        let chunks = max(1, (count + Self.chunkByteCount - 1) / Self.chunkByteCount)
        #expect(encrypted.count == SecretStream.headerByteCount + count + chunks * SecretStream.overhead)
        #expect(try Self.decrypt(encrypted, partSize: partSize) == text)
    }

    @Test func changedBytesAreDetected() throws {
        let text = Self.text(2 * Self.chunkByteCount + 9)
        let encrypted = try Self.encrypt(text)
        for index in [0, 23, 24, 5_000, Self.chunkByteCount + 100, encrypted.count - 1] {
            var changed = encrypted
            changed[index] ^= 1
            #expect(throws: SecretStream.Failure.notAuthentic, "\(index)") { try Self.decrypt(changed) }
        }
        let length = Self.chunkByteCount + SecretStream.overhead
        let first = SecretStream.headerByteCount
        var swapped = encrypted
        swapped.replaceSubrange(first..<first + length, with: encrypted[first + length..<first + 2 * length])
        swapped.replaceSubrange(first + length..<first + 2 * length, with: encrypted[first..<first + length])
        #expect(throws: SecretStream.Failure.notAuthentic) { try Self.decrypt(swapped) }
    }

    @Test func missingAndExtraBytesAreDetected() throws {
        let encrypted = try Self.encrypt(Self.text(2 * Self.chunkByteCount + 9))
        let length = Self.chunkByteCount + SecretStream.overhead
        for count in [0, 10, 24, 24 + length, 24 + 2 * length] {
            #expect(throws: SecretStream.Failure.incomplete, "\(count)") {
                try Self.decrypt(Array(encrypted[..<count]))
            }
        }
        #expect(throws: SecretStream.Failure.notAuthentic) { try Self.decrypt(encrypted.dropLast()) }
        let whole = try Self.encrypt(Self.text(Self.chunkByteCount))
        #expect(throws: SecretStream.Failure.continued) { try Self.decrypt(whole + [UInt8](repeating: 0, count: 30)) }
    }

    @Test func otherPassphraseOrSaltDoesNotDecrypt() throws {
        let encrypted = try Self.encrypt(Self.text(100))
        for (passphrase, salt) in [("a passphrasE", UInt8(7)), ("a passphrase", 8), ("", 7)] {
            let other = try PassphraseKey(
                Array(passphrase.utf8), .init(salt: [UInt8](repeating: salt, count: 16), passes: 1, memory: 8 << 10))
            #expect(throws: SecretStream.Failure.notAuthentic) { try Self.decrypt(encrypted, other) }
        }
    }

    @Test func keyDependsOnPassesAndMemory() throws {
        var keys: Set<[UInt8]> = []
        for (passes, memory) in [(1, 8 << 10), (2, 8 << 10), (1, 16 << 10)] {
            keys.insert(
                try PassphraseKey(
                    Array("x".utf8), .init(salt: [UInt8](repeating: 1, count: 16), passes: passes, memory: memory)
                ).bytes)
        }
        #expect(keys.count == 3 && keys.allSatisfy { $0.count == 32 })
    }

    @Test func unacceptableParametersAreRefused() {
        let salt = [UInt8](repeating: 1, count: 16)
        for parameters: PassphraseKey.Parameters in [
            .init(salt: [1], passes: 1, memory: 8 << 10), .init(salt: salt, passes: 0, memory: 8 << 10),
            .init(salt: salt, passes: 11, memory: 8 << 10), .init(salt: salt, passes: 1, memory: 1 << 40),
            .init(salt: salt, passes: 1, memory: 10),
        ] {
            #expect(throws: PassphraseKey.Failure.unacceptableParameters) { try PassphraseKey([1], parameters) }
        }
    }
}
