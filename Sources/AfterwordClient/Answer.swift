import StrictJSON

/// The answer to one question. Literals work too: `4`, `"demo"`, `["demo", .other("the snacks")]`.
public struct Answer: Sendable, Equatable {
    public var json: JSONValue

    public init(_ json: JSONValue) {
        self.json = json
    }

    public static func rating(_ value: Int) -> Answer { Answer(JSONValue(value)) }
    /// The answer of a participant who cannot or does not want to rate, if the question offers an abstention.
    public static let abstention = Answer(.string("abstain"))
    public static func text(_ text: String) -> Answer { Answer(.string(text)) }
    /// An option, by its id.
    public static func option(_ id: String) -> Answer { Answer(.string(id)) }
    /// A free-text answer to a choice that allows `other`.
    public static func other(_ text: String) -> Answer { Answer(.object([.init("other", .string(text))])) }
    /// The answer to a multiple choice: options, and free text where allowed.
    public static func several(_ answers: [Answer]) -> Answer { Answer(.array(answers.map(\.json))) }
    /// No answer. Equivalent to leaving the question out.
    public static let skipped = Answer(.null)
}

/// Encoded as its JSON value, so that an app can store answers before it sends them.
extension Answer: Codable {
    public init(from decoder: any Decoder) throws { json = try JSONValue(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension Answer: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
    ExpressibleByNilLiteral
{
    public init(integerLiteral value: Int) { self = .rating(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(arrayLiteral elements: Answer...) { self = .several(elements) }
    public init(nilLiteral: ()) { self = .skipped }
}
