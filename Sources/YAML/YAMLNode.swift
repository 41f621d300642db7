/// A YAML document, or a part of it, as libyaml reads it. Anchors are resolved; tags are ignored.
public indirect enum YAMLNode: Sendable, Equatable {
    /// - isPlain: Not in quotes, so that `true` and `1` stand for more than text.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    /// The pairs in their order; a key may occur more than once.
    case mapping([Pair])

    public struct Pair: Sendable, Equatable {
        public var key: YAMLNode
        public var value: YAMLNode

        public init(_ key: YAMLNode, _ value: YAMLNode) {
            self.key = key
            self.value = value
        }
    }

    /// The text of a scalar, nil for the others.
    public var text: String? {
        if case .scalar(let text, _) = self { text } else { nil }
    }
}

/// Text that is no YAML.
public struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    public var description: String
}
