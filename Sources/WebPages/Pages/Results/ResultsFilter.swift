import Contract
import Domain

/// The conditions by which results are filtered, and the answers that can become conditions.
struct ResultsFilter {
    /// The conditions in the API's format, such as `pace:4`.
    let conditions: [String]

    init(conditions: [String]) { self.conditions = conditions }

    init(_ page: PageRequest) {
        // The list of answers begins with an empty entry.
        self.init(conditions: page.query.values("where").filter { !$0.isEmpty })
    }

    var isSet: Bool { !conditions.isEmpty }
    var query: String { PathQuery(conditions.map { ("where", $0) }).text }

    struct Values: TemplateValues, Hashable {
        struct Chip: TemplateValues, Hashable {
            var label: String
            /// The address of the results without this condition.
            var href: String
        }

        struct Choice: TemplateValues, Hashable {
            struct Option: TemplateValues, Hashable {
                var value: String
                var label: String
            }

            var title: String
            var options: [Option]
        }

        var isFiltered: Bool
        var conditions: [String]
        var chips: [Chip]
        var choices: [Choice]
    }

    /// The form for a further condition, and a chip for each condition. Nil if no condition can be added or removed.
    func values(_ questions: [QuestionResults], _ context: MeetingContext) -> Values? {
        let texts = context.page.texts
        let choices = questions.compactMap { Self.choice($0, excluding: conditions, texts) }
        guard isSet || !choices.isEmpty else { return nil }
        return Values(
            isFiltered: isSet, conditions: conditions,
            chips: conditions.enumerated().map { index, condition in
                var others = conditions
                others.remove(at: index)
                return .init(
                    label: Self.label(condition, questions, texts),
                    href: context.path + "/results" + PathQuery(others.map { ("where", $0) }).text)
            },
            choices: choices)
    }

    /// The answers that were given to a question and are not conditions yet. Nil if there are none.
    private static func choice(
        _ result: QuestionResults, excluding chosen: [String], _ texts: PageTexts
    ) -> Values.Choice? {
        var answers = (result.points ?? []).map { point in
            (id: point.id, label: label(of: point, in: result, texts), count: point.count)
        }
        if let label = result.abstain { answers.append((Limits.abstention, label, result.abstained ?? 0)) }
        let options = answers.filter { $0.count > 0 }
            .map { ("\(result.key):\($0.id)", "\($0.label) (\($0.count))") }
            .filter { !chosen.contains($0.0) }
        guard !options.isEmpty else { return nil }
        return .init(title: result.title, options: options.map { .init(value: $0.0, label: $0.1) })
    }

    private static func label(_ condition: String, _ questions: [QuestionResults], _ texts: PageTexts) -> String {
        let parts = condition.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, let result = questions.first(where: { $0.key == parts[0] }) else { return condition }
        let point = result.points?.first { $0.id == parts[1] }
        let abstention = parts[1] == Limits.abstention ? result.abstain : nil
        let answer = abstention ?? point.map { label(of: $0, in: result, texts) } ?? parts[1]
        return texts("charts.chosen", ["question": result.title, "answer": answer])
    }

    /// The label of an answer. For the answer `other`, the host wrote no label.
    static func label(of point: QuestionResults.Point, in result: QuestionResults, _ texts: PageTexts) -> String {
        result.kind == "choice" && point.id == "other" ? texts("form.other") : point.label
    }

    /// The reason why the API refused the filter or the cross-tab, for the reader.
    static func refusal(
        _ response: InnerAPI.CollectedResponse, _ context: MeetingContext, ofCrossTab: Bool = false
    ) -> String {
        let texts = context.page.texts
        let codes = [response.problem?.code].compactMap(\.self) + (response.problem?.errors ?? []).map(\.code)
        if codes.contains("results-withheld") { return texts("charts.filter-later") }
        if codes.contains("answers-deleted") { return texts("problem.answers-deleted") }
        if codes.contains("group-too-small") {
            // Unlike the results page, the page of a cross-tab has no other results to show.
            if ofCrossTab { return texts("charts.comparison-too-small") }
            return texts("charts.group-too-small", ["minimum": "\(context.form.definition.minimumGroup ?? 1)"])
        }
        if codes.contains("too-many-conditions") {
            return context.isAnonymous ? texts("charts.one-condition") : texts("charts.five-conditions")
        }
        if codes.contains("same-question") { return texts("charts.same-question") }
        return texts(ofCrossTab ? "charts.comparison-unknown" : "charts.filter-unknown")
    }
}
