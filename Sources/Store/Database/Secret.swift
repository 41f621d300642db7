import Cryptography

/// What is mailed or shown once to open something: 256 random bits as text, of which the database knows only the
/// SHA-256.
enum Secret {
    static func make() -> String { Base64URL.encode(RandomBytes.make(32)) }

    static func hash(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }
}
