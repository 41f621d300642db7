import CSodium

/// A key derived from a passphrase with Argon2id (RFC 9106), and the public parameters with which it is derived again.
public struct PassphraseKey: Sendable {
    public struct Parameters: Sendable, Equatable {
        public var salt: [UInt8]
        public var passes: Int
        /// In bytes.
        public var memory: Int

        public static let saltByteCount = Int(crypto_pwhash_SALTBYTES)

        public init(salt: [UInt8], passes: Int, memory: Int) {
            self.salt = salt
            self.passes = passes
            self.memory = memory
        }

        /// For a new key: a random salt, three passes, 64 MiB and one lane. The passes and the memory are those of RFC
        /// 9106's second recommended option. libsodium supports only one lane.
        public static func make() -> Parameters {
            Parameters(salt: RandomBytes.make(saltByteCount), passes: 3, memory: 64 << 20)
        }

        /// Whether the parameters can be used, and cost at most about a gigabyte and a few seconds: they may come from
        /// a file that was tampered with.
        public var isAcceptable: Bool {
            salt.count == Self.saltByteCount && (1...10).contains(passes) && (8 << 10...1 << 30).contains(memory)
        }
    }

    public enum Failure: Error, Equatable {
        case unacceptableParameters
        case outOfMemory
    }

    let bytes: [UInt8]

    /// Blocks for about a tenth of a second of CPU time.
    public init(_ passphrase: [UInt8], _ parameters: Parameters) throws(Failure) {
        guard parameters.isAcceptable else { throw .unacceptableParameters }
        Sodium.start()
        var key = [UInt8](repeating: 0, count: SecretStream.keyByteCount)
        let characters = passphrase.map { CChar(bitPattern: $0) }
        guard
            crypto_pwhash(
                &key, UInt64(key.count), characters, UInt64(characters.count), parameters.salt,
                UInt64(parameters.passes), parameters.memory, crypto_pwhash_ALG_ARGON2ID13) == 0
        else { throw .outOfMemory }
        bytes = key
    }
}
