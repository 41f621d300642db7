import Contract

/// The changes of the people who answered a question in both rounds, for the template `pairs-table`.
struct PairsTable: TemplateValues, Hashable {
    struct Row: TemplateValues, Hashable {
        var label: String
        var earlier: String
        var later: String
        var change: String
        /// The interval of the change, or `–`.
        var range: String
        /// The p value, and the one adjusted for all comparisons of the page, or `–`.
        var p: String
        var adjusted: String
        /// Whether the adjusted p value is below 0.05.
        var isClear: Bool
    }

    /// How many people answered both rounds, and the change of a rating.
    var summary: String
    /// The header of the column with the earlier numbers.
    var since: String
    var reason: String
    var rows: [Row]

    /// Nil if nobody is compared with themselves.
    ///
    /// - Parameter comparisons: The number of p values of the page.
    init?(of question: RoundChanges.Question, comparisons: Int, _ texts: PageTexts) {
        let paired = question.numbers.filter { $0.pairs != nil }
        guard let first = paired.first, let pairs = first.pairs else { return nil }
        let writer = Writer(texts: texts, isShare: question.kind == "choice", isScore: first.id == "nps")
        let people = texts("pairs.people", ["count": "\(pairs.n)"])
        summary =
            writer.isShare ? people : [people, writer.change(pairs), writer.brief(pairs)].joined(separator: " ")
        since = texts("pairs.since", ["round": "#\(first.sinceRound)"])
        reason = texts("pairs.reason", ["count": "\(comparisons)"])
        rows = paired.compactMap { number in
            number.pairs.map { writer.row(number, $0, sharedSince: first.sinceRound) }
        }
    }

    /// Says that too few people answered both rounds, if this is why nobody is compared with themselves.
    static func notice(of question: RoundChanges.Question, minimum: Int, _ texts: PageTexts) -> String? {
        guard let first = question.numbers.first, first.unpaired == "too-few",
            question.numbers.allSatisfy({ $0.pairs == nil })
        else { return nil }
        return texts("pairs.too-few", ["minimum": "\(minimum)"])
    }

    private struct Writer {
        let texts: PageTexts
        let isShare: Bool
        let isScore: Bool

        func row(_ number: RoundChanges.Number, _ pairs: RoundChanges.Pairs, sharedSince: Int) -> Row {
            var label = isShare ? number.label : isScore ? "NPS" : texts("series.mean")
            if number.id == FormSheet.other { label = texts("form.other") }
            // The header names one round, which is that of the first option.
            if number.sinceRound != sharedSince { label += " (#\(number.sinceRound))" }
            return Row(
                label: label, earlier: value(pairs.earlier), later: value(pairs.later), change: change(pairs),
                range: range(pairs).map { texts("room.range", $0) } ?? "–", p: probability(pairs.p),
                adjusted: probability(pairs.adjustedP), isClear: pairs.adjustedP.map { $0 < 0.05 } ?? false)
        }

        func change(_ pairs: RoundChanges.Pairs) -> String { difference(pairs.change) }

        /// The interval in brackets; empty without one.
        func brief(_ pairs: RoundChanges.Pairs) -> String { range(pairs).map { texts("charts.interval", $0) } ?? "" }

        private func range(_ pairs: RoundChanges.Pairs) -> [String: String]? {
            guard let low = pairs.low, let high = pairs.high else { return nil }
            return ["low": difference(low), "high": difference(high)]
        }

        private func value(_ value: Double) -> String {
            if isShare { return NumberText.percent(value) }
            return isScore ? NumberText.score(value) : NumberText.decimal(value, in: texts.language)
        }

        private func difference(_ value: Double) -> String {
            isShare
                ? NumberText.points(value)
                : NumberText.difference(value, places: isScore ? 0 : 2, in: texts.language)
        }

        private func probability(_ p: Double?) -> String {
            guard let p else { return "–" }
            let text = NumberText.decimal(max(p, 0.001), places: 3, in: texts.language)
            return p < 0.001 ? "< \(text)" : text
        }
    }
}
