import Cryptography

/// A secret that is mailed or shown once and grants access: 256 random bits as text, of which the database stores only
/// the SHA-256.
enum Secret {
    static func make() -> String { Base64URL.encode(RandomBytes.make(32)) }

    static func hash(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }
}
