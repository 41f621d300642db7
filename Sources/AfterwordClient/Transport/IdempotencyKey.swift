import Foundation

/// A key by which the service recognizes a repeated request. Calls create one unless you pass one.
///
/// To survive a termination of the app, store the key before the call and repeat the call with it.
public struct IdempotencyKey: Sendable, Hashable, Codable, CustomStringConvertible {
    public let description: String

    public init() {
        description = UUID().uuidString.lowercased()
    }

    /// Returns nil unless the text has 16 to 255 visible ASCII characters.
    public init?(_ text: String) {
        guard (16...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        description = text
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let key = IdempotencyKey(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "A key has 16 to 255 visible ASCII characters.")
        }
        self = key
    }

    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}
