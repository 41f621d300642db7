import Contract
import Foundation

/// The conditions by which results are filtered, and the answers that can become conditions.
struct ResultsFilter {
    /// In the form of the API, such as `pace:4`.
    let conditions: [String]

    init(conditions: [String]) { self.conditions = conditions }

    init(_ page: PageRequest) {
        // The first entry of the list of answers is empty.
        self.init(conditions: page.query.values("where").filter { !$0.isEmpty })
    }

    var isSet: Bool { !conditions.isEmpty }
    var query: String { PathQuery(conditions.map { ("where", $0) }).text }

    struct Values: TemplateValues {
        struct Condition: TemplateValues { var value: String }

        struct Chip: TemplateValues {
            var label: String
            /// The address of the results without this condition.
            var without: String
        }

        struct Choice: TemplateValues {
            struct Option: TemplateValues {
                var value: String
                var label: String
            }

            var title: String
            var options: [Option]
        }

        var isFiltered: Bool
        var conditions: [Condition]
        var chips: [Chip]
        var choices: [Choice]
    }

    /// The form and the chips; nil if there is no condition to add or remove.
    func values(_ questions: [QuestionResults], _ host: MeetingContext) -> Values? {
        let texts = host.page.texts
        let choices = questions.compactMap { Self.choice($0, besides: conditions, texts) }
        guard isSet || !choices.isEmpty else { return nil }
        return Values(
            isFiltered: isSet, conditions: conditions.map { .init(value: $0) },
            chips: conditions.enumerated().map { index, condition in
                var others = conditions
                others.remove(at: index)
                return .init(
                    label: Self.label(condition, questions, texts),
                    without: host.path + "/results" + PathQuery(others.map { ("where", $0) }).text)
            },
            choices: choices)
    }

    /// The answers that somebody gave.
    private static func choice(
        _ result: QuestionResults, besides chosen: [String], _ texts: PageTexts
    ) -> Values.Choice? {
        let options = (result.points ?? []).filter { $0.count > 0 }
            .map { ("\(result.key):\($0.id)", "\(label(of: $0, in: result, texts)) (\($0.count))") }
            .filter { !chosen.contains($0.0) }
        guard !options.isEmpty else { return nil }
        return .init(title: result.title, options: options.map { .init(value: $0.0, label: $0.1) })
    }

    private static func label(_ condition: String, _ questions: [QuestionResults], _ texts: PageTexts) -> String {
        let parts = condition.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, let result = questions.first(where: { $0.key == parts[0] }) else { return condition }
        let point = result.points?.first { $0.id == parts[1] }
        return texts(
            "charts.chosen",
            ["question": result.title, "answer": point.map { label(of: $0, in: result, texts) } ?? parts[1]])
    }

    static func label(of point: QuestionResults.Point, in result: QuestionResults, _ texts: PageTexts) -> String {
        result.kind == "choice" && point.id == "other" ? texts("form.other") : point.label
    }

    /// Why the API refuses the filter or the comparison.
    static func refusal(_ answer: InnerAPI.Answer, _ host: MeetingContext, ofComparison: Bool = false) -> String {
        let texts = host.page.texts
        let codes = [answer.problem?.code].compactMap(\.self) + (answer.problem?.errors ?? []).map(\.code)
        if codes.contains("results-withheld") { return texts("charts.filter-later") }
        if codes.contains("group-too-small") {
            // The page of a comparison has no other results.
            if ofComparison { return texts("charts.comparison-too-small") }
            return texts("charts.group-too-small", ["minimum": "\(host.form.definition.minimumGroup ?? 1)"])
        }
        if codes.contains("too-many-conditions") {
            return host.isAnonymous ? texts("charts.one-condition") : texts("charts.five-conditions")
        }
        if codes.contains("same-question") { return texts("charts.same-question") }
        return texts(ofComparison ? "charts.comparison-unknown" : "charts.filter-unknown")
    }
}
