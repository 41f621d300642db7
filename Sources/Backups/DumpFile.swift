import Cryptography
import Foundation

/// A dump file that is being written. Its bytes are hashed, and encrypted if there is a key.
final class DumpFile {
    private let file: OutputFile
    private let encryptor: SecretStream.Encryptor?
    private let progress: (Int) -> Void
    private var hash = SHA256()
    private var byteCount = 0

    init(_ path: String, _ key: PassphraseKey?, _ progress: @escaping (Int) -> Void) throws {
        file = try OutputFile(path)
        encryptor = key.map { SecretStream.Encryptor($0) }
        self.progress = progress
        if let encryptor { try store(encryptor.header) }
    }

    func write(_ bytes: ArraySlice<UInt8>) throws {
        try store(encryptor?.update(bytes) ?? Array(bytes))
    }

    /// Completes the file and returns its size and hash.
    func finish() throws -> (bytes: Int, sha256: String) {
        if let encryptor { try store(encryptor.finish()) }
        try file.close()
        return (byteCount, hash.hexadecimal)
    }

    private func store(_ bytes: [UInt8]) throws {
        guard !bytes.isEmpty else { return }
        try file.write(bytes)
        hash.update(bytes)
        byteCount += bytes.count
        progress(byteCount)
    }
}

extension SHA256 {
    /// The hash of the bytes so far.
    var hexadecimal: String {
        finish().map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
