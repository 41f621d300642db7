import Domain
import Foundation
import Store
import StrictJSON

/// The questions of an existing series, which the columns of a file continue if they have their titles.
public struct KnownQuestions: Sendable {
    public let seriesID: UUID
    public let titles: [String]
    let keys: Set<String>
    private let byTitle: [String: Question]
    private let byKey: [String: Question]

    public init(_ series: ImportableSeries.Target) {
        let questions = series.questions
        seriesID = series.name.id
        titles = questions.map(\.title)
        keys = Set(questions.map(\.key))
        byTitle = Dictionary(questions.map { (Self.normalized($0.title), $0) }, uniquingKeysWith: { first, _ in first })
        byKey = Dictionary(questions.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The question with this title. Case and white space do not matter.
    public func question(titled title: String) -> Question? { byTitle[Self.normalized(title)] }

    /// The question that a column seems to contain: the heading is its title or, as in an export of this service, its
    /// key.
    public func question(ofColumn heading: String) -> Question? { question(titled: heading) ?? byKey[heading] }

    private static func normalized(_ title: String) -> String {
        title.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension ColumnUse {
    /// Whether the column has answers to a question.
    public var isQuestion: Bool {
        switch self {
        case .text, .choice, .several, .option, .otherText, .rating, .recommendation: true
        case .skip, .submittedAt, .meeting, .series, .startsAt, .endsAt: false
        }
    }

    /// The use of a column that continues the question, if the values seem to allow it. Otherwise the same use.
    public func fitted(to question: Question) -> ColumnUse {
        switch (self, question.kind) {
        case (.rating, .rating(let rating)), (.recommendation, .rating(let rating)):
            if rating.metric == .nps { return .recommendation }
            let fitted = ColumnUse.rating(min: rating.min, max: rating.max)
            return Self.all.contains(fitted) ? fitted : self
        case (.choice, .rating(let rating)), (.text, .rating(let rating)):
            // A column of ratings with abstentions looks like a choice.
            let fitted = ColumnUse.rating(min: rating.min, max: rating.max)
            return rating.abstain != nil && Self.all.contains(fitted) ? fitted : self
        case (.rating, .text), (.recommendation, .text), (.choice, .text), (.several, .text): return .text
        case (.rating, .choice(let choice)), (.recommendation, .choice(let choice)), (.text, .choice(let choice)):
            return choice.multiple ? self : .choice
        case (.choice, .choice(let choice)): return choice.multiple ? .several(.semicolon) : .choice
        case (.several, .choice(let choice)): return choice.multiple ? self : .choice
        default: return self
        }
    }
}

extension MapDraft {
    /// The members of a known question that a map repeats, so that the new round asks it in the same words. Rules that
    /// would refuse rows are left out.
    static func wording(of question: Question, as use: ColumnUse) -> [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = [("description", JSONValue(question.description))]
        switch (question.kind, use) {
        case (.rating(let rating), .rating(let min, let max)) where rating.min == min && rating.max == max:
            members += [("minLabel", JSONValue(rating.minLabel)), ("maxLabel", JSONValue(rating.maxLabel))]
            members.append(("abstain", JSONValue(rating.abstain)))
            members.append(("labels", rating.labels.map { .array($0.map { .string($0) }) } ?? .null))
            members.append(("grid", question.grid?.json ?? .null))
            if rating.metric != .mean { members.append(("metric", .string(rating.metric.rawValue))) }
        case (.rating(let rating), .recommendation) where rating.min == 0 && rating.max == 10:
            members += [("minLabel", JSONValue(rating.minLabel)), ("maxLabel", JSONValue(rating.maxLabel))]
        case (.text(let maxLength), .text) where maxLength > defaultTextLength:
            members.append(("maxLength", JSONValue(maxLength)))
        default: break
        }
        return members.filter { !$0.value.isNull }
    }

    /// The length of a text for which a map says nothing.
    private static let defaultTextLength = 1_000
}
