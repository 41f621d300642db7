#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The name of one act, by which a service knows its repetition; calls make their own unless they are given one.
///
/// An app that wants an act to survive its own end writes the key down first and calls again with it.
public struct IdempotencyKey: Sendable, Hashable, Codable, CustomStringConvertible {
    public let description: String

    public init() {
        description = UUID().uuidString.lowercased()
    }

    /// 16 to 255 visible ASCII characters; nil of anything else.
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

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
