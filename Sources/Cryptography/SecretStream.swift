import CSodium

/// Encrypts a long file in chunks with libsodium's secretstream (XChaCha20-Poly1305). Decryption detects chunks that
/// were changed, reordered, left out or cut off at the end.
///
/// An encrypted file is a header of 24 bytes and then chunks, each with 17 bytes more than its plain text. All chunks
/// have `chunkByteCount` bytes of plain text except the last, which may have fewer or none and is marked as the last.
public enum SecretStream {
    static let keyByteCount = Int(crypto_secretstream_xchacha20poly1305_KEYBYTES)
    public static let headerByteCount = Int(crypto_secretstream_xchacha20poly1305_HEADERBYTES)
    /// The number of bytes by which encryption lengthens a chunk.
    public static let overhead = Int(crypto_secretstream_xchacha20poly1305_ABYTES)
    public static let chunkByteCount = 64 << 10

    public enum Failure: Error, Equatable {
        /// The key is wrong, or the file was changed.
        case notAuthentic
        /// The file has no last chunk.
        case incomplete
        /// There are bytes after the last chunk.
        case continued
    }

    private static let finalTag = UInt8(crypto_secretstream_xchacha20poly1305_TAG_FINAL)
    private static let messageTag = UInt8(crypto_secretstream_xchacha20poly1305_TAG_MESSAGE)

    /// Encrypts any number of bytes at a time.
    public final class Encryptor {
        private var state = crypto_secretstream_xchacha20poly1305_state()
        /// The plain text of the next chunk. Full chunks stay here until more bytes follow, because the last chunk is
        /// marked.
        private var pending: [UInt8] = []
        /// The first bytes of the encrypted file.
        public let header: [UInt8]

        public init(_ key: PassphraseKey) {
            Sodium.start()
            var header = [UInt8](repeating: 0, count: headerByteCount)
            crypto_secretstream_xchacha20poly1305_init_push(&state, &header, key.bytes)
            self.header = header
        }

        /// Returns the chunks that are complete.
        public func update(_ bytes: some Collection<UInt8>) -> [UInt8] {
            pending += bytes
            var output: [UInt8] = []
            while pending.count > chunkByteCount {
                output += encrypt(pending[..<chunkByteCount], messageTag)
                pending.removeFirst(chunkByteCount)
            }
            return output
        }

        /// Returns the last chunk. Nothing may follow.
        public func finish() -> [UInt8] { encrypt(pending[...], finalTag) }

        private func encrypt(_ chunk: ArraySlice<UInt8>, _ tag: UInt8) -> [UInt8] {
            var output = [UInt8](repeating: 0, count: chunk.count + overhead)
            crypto_secretstream_xchacha20poly1305_push(
                &state, &output, nil, Array(chunk), UInt64(chunk.count), nil, 0, tag)
            return output
        }
    }

    /// Decrypts any number of bytes at a time.
    public final class Decryptor {
        private var state = crypto_secretstream_xchacha20poly1305_state()
        private let key: PassphraseKey
        private var pending: [UInt8] = []
        private var hasHeader = false
        private var isComplete = false

        public init(_ key: PassphraseKey) {
            Sodium.start()
            self.key = key
        }

        /// Returns the plain text of the chunks that are complete.
        public func update(_ bytes: some Collection<UInt8>) throws(Failure) -> [UInt8] {
            pending += bytes
            if !hasHeader {
                guard pending.count >= headerByteCount else { return [] }
                let header = Array(pending[..<headerByteCount])
                guard crypto_secretstream_xchacha20poly1305_init_pull(&state, header, key.bytes) == 0 else {
                    throw .notAuthentic
                }
                pending.removeFirst(headerByteCount)
                hasHeader = true
            }
            var output: [UInt8] = []
            let length = chunkByteCount + overhead
            while pending.count >= length {
                output += try decrypt(Array(pending[..<length]))
                pending.removeFirst(length)
            }
            return output
        }

        /// Returns the plain text of the last chunk. Throws unless the file ends here.
        public func finish() throws(Failure) -> [UInt8] {
            guard hasHeader else { throw .incomplete }
            let output = pending.isEmpty ? [] : try decrypt(pending)
            guard isComplete else { throw .incomplete }
            return output
        }

        private func decrypt(_ chunk: [UInt8]) throws(Failure) -> [UInt8] {
            guard !isComplete else { throw .continued }
            guard chunk.count >= overhead else { throw .incomplete }
            var output = [UInt8](repeating: 0, count: chunk.count)
            var tag: UInt8 = 0
            guard
                crypto_secretstream_xchacha20poly1305_pull(
                    &state, &output, nil, &tag, chunk, UInt64(chunk.count), nil, 0) == 0
            else { throw .notAuthentic }
            output.removeLast(overhead)
            isComplete = tag == finalTag
            return output
        }
    }
}
