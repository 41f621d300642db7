import Cryptography

/// A secret that grants access and is mailed or shown only once. It consists of 256 random bits as text, and the
/// database stores only its SHA-256.
enum Secret {
    static func make() -> String { Base64URL.encode(RandomBytes.make(32)) }

    static func hash(_ text: String) -> [UInt8] { SHA256.hash(Array(text.utf8)) }
}
