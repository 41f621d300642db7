import StrictJSON

/// What a host's remote shows on all open stages of a meeting: a slide, and how it is shown.
public struct StageView: Sendable, Equatable {
    private static let questionPrefix = "q-"

    /// `code`, `decisions`, `end`, or `q-` and the key of a question.
    public var slide: String
    /// Whether the screen is blank.
    public var isBlank: Bool
    /// Whether numbers are shown with their change since an earlier round.
    public var isComparing: Bool
    /// Whether the slide of a text question shows the most frequent words instead of the texts.
    public var showsWords: Bool

    public init(slide: String, isBlank: Bool = false, isComparing: Bool = false, showsWords: Bool = false) {
        self.slide = slide
        self.isBlank = isBlank
        self.isComparing = isComparing
        self.showsWords = showsWords
    }

    /// Reads a request. Throws all its faults as one problem.
    ///
    /// The form may lack the question: a stage that has no such slide ignores the view.
    public init(json: JSONValue) throws(Problem) {
        let reader = ObjectReader(json)
        let slide = reader.requiredString("slide")
        if let slide, !Self.isSlide(slide) {
            reader.fault(
                at: "slide", code: "unknown-value",
                "This must be: code, decisions, end, or q- and the key of a question.")
        }
        let (blank, comparing, words) = (reader.bool("blank"), reader.bool("comparing"), reader.bool("words"))
        self.init(
            slide: try reader.requireNoFaults(reading: slide), isBlank: blank ?? false,
            isComparing: comparing ?? false, showsWords: words ?? false)
    }

    /// The view as event streams send it.
    public var json: JSONValue {
        .object([
            .init("slide", .string(slide)), .init("blank", .bool(isBlank)), .init("comparing", .bool(isComparing)),
            .init("words", .bool(showsWords)),
        ])
    }

    private static func isSlide(_ text: String) -> Bool {
        if ["code", "decisions", "end"].contains(text) { return true }
        return text.hasPrefix(questionPrefix) && Limits.isKey(String(text.dropFirst(questionPrefix.count)))
    }
}
