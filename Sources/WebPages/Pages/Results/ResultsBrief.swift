import Contract
import Foundation

/// A question a line, for a page that leads to the results.
enum ResultsBrief {
    private static let most = 6

    static func values(_ results: Results, _ page: PageRequest) -> [[String: Any]] {
        results.questions.filter { $0.retired != true }.prefix(most).compactMap { result in
            value(of: result, page.texts).map { ["title": result.title, "value": $0] }
        }
    }

    private static func value(of result: QuestionResults, _ texts: PageTexts) -> String? {
        guard result.answered > 0 else { return nil }
        if let number = number(of: result, texts) { return number }
        guard result.kind == "choice" else {
            return texts(
                result.answered == 1 ? "results.one-answer" : "results.answers", ["count": "\(result.answered)"])
        }
        return first(of: result, texts)
    }

    /// What sums up a rating that somebody has answered: a score says more than the mean that it is made of.
    static func number(of result: QuestionResults, _ texts: PageTexts) -> String? {
        if let nps = result.summary?.nps { return texts("results.nps", ["score": NumberText.score(nps.score)]) }
        return result.summary?.mean.map { mean in
            let text = texts("results.mean", ["mean": NumberText.decimal(mean)])
            guard result.minLabel != nil || result.maxLabel != nil, let ends = ScaleBar.ends(of: result) else {
                return text
            }
            return "\(text) (\(ends.low) – \(ends.high))"
        }
    }

    /// What most chose; of several that are equal all, as long as they can be read at a glance.
    static func first(of result: QuestionResults, _ texts: PageTexts) -> String? {
        let points = result.points ?? []
        let highest = points.map(\.count).max()
        let best = points.filter { $0.count == highest }
        guard let share = best.first?.share.map(NumberText.percent) else { return nil }
        let names = best.map { ResultsFilter.label(of: $0, in: result, texts) }
        return switch best.count {
        case 1: "\(names[0]) (\(share))"
        case 2: texts("charts.two-first", ["first": names[0], "second": names[1], "share": share])
        default: texts("charts.tied-first", ["count": "\(best.count)", "share": share])
        }
    }
}

/// How many of those who could have answered did, as a ring with the number in it.
enum ResponseRing {
    /// Nothing where nobody knows how many they are.
    static func values(_ results: Results, _ page: PageRequest) -> [String: Any]? {
        guard let rate = results.responseRate, let base = results.responseBase else { return nil }
        let people = base == "headcount" ? results.headcount ?? 0 : results.attended
        let values = ["count": "\(results.submissions)", "people": "\(people)"]
        let texts = page.texts
        return [
            "percent": NumberText.percent(rate), "part": "\(Int((min(max(rate, 0), 1) * 100).rounded()))",
            "label": base == "headcount"
                ? texts("charts.of-headcount", values) : texts("charts.of-attended", values),
        ]
    }
}
