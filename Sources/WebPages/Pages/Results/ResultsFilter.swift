import Contract
import Foundation

/// Results of those alone who gave some answer: what is chosen, what can be, and why not.
struct ResultsFilter {
    /// As the API takes them, such as `pace:4`.
    let conditions: [String]

    init(conditions: [String]) { self.conditions = conditions }

    init(_ page: PageRequest) {
        // Left on its first entry, the list of answers sends nothing.
        self.init(conditions: page.query.values("where").filter { !$0.isEmpty })
    }

    var isSet: Bool { !conditions.isEmpty }
    var query: String { PathQuery(conditions.map { ("where", $0) }).text }

    /// The form and the chips, for a page with these results.
    func values(_ questions: [QuestionResults], _ host: MeetingContext) -> [String: Any]? {
        let texts = host.page.texts
        let choices = questions.compactMap { Self.choices($0, besides: conditions, texts) }
        guard isSet || !choices.isEmpty else { return nil }
        var values: [String: Any] = [
            "isFiltered": isSet,
            "conditions": conditions.map { ["value": $0] },
            "chips": conditions.enumerated().map { place, condition -> [String: Any] in
                var others = conditions
                others.remove(at: place)
                return [
                    "label": Self.label(condition, questions, texts),
                    "without": host.path + "/results" + PathQuery(others.map { ("where", $0) }).text,
                ]
            },
        ]
        values["choices"] = choices.isEmpty ? nil : choices
        return values
    }

    private static func choices(
        _ result: QuestionResults, besides chosen: [String], _ texts: PageTexts
    ) -> [String: Any]? {
        // What nobody chose leads to nothing.
        let options = (result.points ?? []).filter { $0.count > 0 }
            .map { ("\(result.key):\($0.id)", "\(label(of: $0, in: result, texts)) (\($0.count))") }
            .filter { !chosen.contains($0.0) }
        guard !options.isEmpty else { return nil }
        return ["title": result.title, "options": options.map { ["value": $0.0, "label": $0.1] }]
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

    /// Why the API does not count by this, in words.
    static func refusal(_ answer: InnerAPI.Answer, _ host: MeetingContext, ofComparison: Bool = false) -> String {
        let texts = host.page.texts
        let codes = [answer.problem?.code].compactMap(\.self) + (answer.problem?.errors ?? []).map(\.code)
        if codes.contains("results-withheld") { return texts("charts.filter-later") }
        if codes.contains("group-too-small") {
            // There are no results of everyone below it.
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
