import CSodium

/// Argon2id password hashes with 19 MiB, two passes and one lane, the minimum of OWASP's "Password Storage Cheat
/// Sheet".
///
/// Both calls block and take about 20 ms of CPU time. Call them through `PasswordHasher`.
public enum PasswordHash {
    /// Longer passwords are rejected before hashing.
    public static let maximumBytes = 1024
    private static let passes: UInt64 = 2
    private static let memory = 19 * 1024 * 1024

    public enum Failure: Error, Equatable {
        case passwordTooLong
        case outOfMemory
    }

    /// The hash as one line of ASCII, with its parameters and a random salt.
    public static func make(_ password: String) throws(Failure) -> String {
        guard password.utf8.count <= maximumBytes else { throw .passwordTooLong }
        Sodium.start()
        var output = [CChar](repeating: 0, count: Int(crypto_pwhash_strbytes()))
        let status = password.withCString {
            crypto_pwhash_str_alg(
                &output, $0, UInt64(password.utf8.count), passes, memory, crypto_pwhash_ALG_ARGON2ID13)
        }
        guard status == 0 else { throw .outOfMemory }
        return String(decoding: output.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether the hash belongs to the password. False if the text is not a hash.
    public static func verify(_ password: String, _ hash: String) -> Bool {
        guard password.utf8.count <= maximumBytes, hash.utf8.count < Int(crypto_pwhash_strbytes()) else { return false }
        Sodium.start()
        return password.withCString { crypto_pwhash_str_verify(hash, $0, UInt64(password.utf8.count)) == 0 }
    }
}
