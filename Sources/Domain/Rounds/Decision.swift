import StrictJSON

/// What hosts decided at a meeting, in a few words. The next rounds of the series show it.
public struct Decision: Sendable, Hashable {
    /// The largest numbers of decisions of a meeting, and of characters of one.
    public static let (maxCount, maxLength) = (20, 500)

    public var text: String
    /// The key of the question whose answers led to it.
    public var question: String?
    public var isDone: Bool
    /// Whether the participants of the next rounds see it.
    public var isShown: Bool

    public init(text: String, question: String? = nil, isDone: Bool = false, isShown: Bool = false) {
        (self.text, self.question, self.isDone, self.isShown) = (text, question, isDone, isShown)
    }

    /// Parses the body of `PUT …/decisions`. Throws a `Problem` with all errors.
    public static func readList(_ body: JSONValue) throws(Problem) -> [Decision] {
        let reader = ObjectReader(body)
        reader.require("items")
        let items = reader.objects("items") ?? []
        if items.count > maxCount {
            reader.fault(at: "items", code: "too-many", "A meeting has at most \(maxCount) decisions.")
        }
        let decisions = items.compactMap(read)
        try reader.requireNoFaults()
        return decisions
    }

    private static func read(_ item: ObjectReader) -> Decision? {
        let text = item.requiredText("text", atMost: maxLength)
        let question = item.has("question") ? item.key("question") : nil
        let (done, shown) = (item.bool("done") ?? false, item.bool("shown") ?? false)
        return text.map { Decision(text: Limits.trimmed($0), question: question, isDone: done, isShown: shown) }
    }
}

/// A decision as it is stored.
extension Decision {
    public init?(stored json: JSONValue) {
        guard let text = json["text"]?.string else { return nil }
        self.init(
            text: text, question: json["question"]?.string, isDone: json["done"]?.bool == true,
            isShown: json["shown"]?.bool == true)
    }

    public var stored: JSONValue {
        var members = [JSONValue.Member("text", .string(text))]
        if let question { members.append(.init("question", .string(question))) }
        if isDone { members.append(.init("done", .bool(true))) }
        if isShown { members.append(.init("shown", .bool(true))) }
        return .object(members)
    }
}
