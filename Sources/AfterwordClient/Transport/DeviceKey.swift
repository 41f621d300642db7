/// A random key that identifies a phone or browser on forms that allow one submission per device. Create it once, store
/// it, and send it with each submission.
///
/// It contains no information about the device or its owner.
public struct DeviceKey: Sendable, Hashable, Codable, CustomStringConvertible {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    public let description: String

    /// Creates a key of 258 random bits.
    public init() {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<43).map { _ in Self.alphabet[Int(random.next(upperBound: UInt8(64)))] }
        description = String(decoding: bytes, as: UTF8.self)
    }

    /// Creates a key from its stored text. Returns nil unless it has 32 to 128 base64url characters.
    public init?(_ text: String) {
        guard (32...128).contains(text.utf8.count), text.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        description = text
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = DeviceKey(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "A device key has 32 to 128 characters of base64url.")
        }
        self = key
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
