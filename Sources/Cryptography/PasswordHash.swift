import CSodium

/// Passwords by Argon2id with 19 MiB and two passes, one lane: the least of OWASP's "Password Storage Cheat Sheet".
///
/// Both calls take some 20 ms of a core and block; `PasswordHasher` runs them where that harms nobody.
public enum PasswordHash {
    /// Longer passwords are refused before any work is spent on them.
    public static let maximumBytes = 1024
    private static let passes: UInt64 = 2
    private static let memory = 19 * 1024 * 1024

    public enum Failure: Error, Equatable {
        case passwordTooLong
        case outOfMemory
    }

    /// The hash as one line of ASCII, its parameters and a fresh salt included.
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

    /// Whether the hash is this password's; false for a text that is no hash.
    public static func verify(_ password: String, _ hash: String) -> Bool {
        guard password.utf8.count <= maximumBytes, hash.utf8.count < Int(crypto_pwhash_strbytes()) else { return false }
        Sodium.start()
        return password.withCString { crypto_pwhash_str_verify(hash, $0, UInt64(password.utf8.count)) == 0 }
    }
}
