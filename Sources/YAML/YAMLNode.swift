/// A YAML document or a part of it, parsed by libyaml. Anchors are resolved; tags are ignored.
public indirect enum YAMLNode: Sendable, Equatable {
    /// A scalar. If it is plain, which means unquoted, `true` may be a Boolean and `1` a number.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    /// The pairs in order. A key may occur more than once.
    case mapping([Pair])

    public struct Pair: Sendable, Equatable {
        public var key: YAMLNode
        public var value: YAMLNode
    }

    /// The text of a scalar. Nil for other nodes.
    public var text: String? {
        if case .scalar(let text, _) = self { text } else { nil }
    }
}

/// A syntax error.
public struct YAMLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line of the error, from 1.
    public var line: Int
    public var description: String
}
