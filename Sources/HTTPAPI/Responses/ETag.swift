import Contract
import Cryptography
import HTTPServer

/// An entity tag (RFC 9110, section 8.8.3).
public struct ETag: Sendable, Hashable, CustomStringConvertible {
    /// The text between the quotes: visible ASCII without `"`.
    public var opaque: String
    public var isWeak: Bool

    public init(_ opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Parses the value of an `ETag` header.
    public init?(parsing value: String) {
        guard case .tags(let tags) = List(parsing: value), let first = tags.first, tags.count == 1 else { return nil }
        self = first
    }

    /// The tag as it is written in a header.
    public var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Strong comparison: the tags are equal and neither is weak.
    public func isSame(as other: ETag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Weak comparison: the tags are equal, whether weak or not.
    public func isEquivalent(to other: ETag) -> Bool { opaque == other.opaque }

    /// The value of `If-Match` or `If-None-Match`.
    public enum List: Sendable, Equatable {
        case any
        case tags([ETag])

        /// More tags than a client keeps of one resource.
        private static let maxTags = 64

        /// Returns nil if the value is neither `*` nor a list of at most 64 tags.
        public init?(parsing value: String) {
            if value.trimmingSpaces == "*" {
                self = .any
                return
            }
            var tags: [ETag] = []
            var rest = value[...]
            while true {
                rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
                if rest.isEmpty { break }
                let isWeak = rest.hasPrefix("W/")
                if isWeak { rest = rest.dropFirst(2) }
                guard rest.first == "\"", tags.count < Self.maxTags else { return nil }
                rest = rest.dropFirst()
                guard let end = rest.firstIndex(of: "\"") else { return nil }
                tags.append(ETag(String(rest[..<end]), isWeak: isWeak))
                rest = rest[rest.index(after: end)...].trimmingSpaces
                guard rest.isEmpty || rest.first == "," else { return nil }
            }
            guard !tags.isEmpty else { return nil }
            self = .tags(tags)
        }
    }
}

extension ETag {
    /// A strong tag of a body's own bytes, or of a resource with a revision and with counters that change
    /// independently: `"7.9rXk…"`.
    ///
    /// A reader's `If-None-Match` compares the whole tag. An editor's `If-Match` compares the revision only, so that a
    /// check-in doesn't make an edit fail.
    init(revision: Int? = nil, digestOf body: some Encodable) throws {
        self.init(revision: revision, digestOfBytes: try ContractCoding.encode(body))
    }

    init(revision: Int? = nil, digestOfBytes bytes: [UInt8]) {
        let digest = Base64URL.encode(Array(SHA256.hash(bytes).prefix(12)))
        self.init(revision.map { "\($0).\(digest)" } ?? digest)
    }

    /// The revision in a tag of a resource with a revision; nil for any other tag.
    var revision: Int? {
        guard !isWeak, let dot = opaque.firstIndex(of: ".") else { return nil }
        return Int(opaque[..<dot])
    }
}
