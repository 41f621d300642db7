import Contract
import Foundation

/// The results in short: one line for each of the first questions.
enum ResultsBrief {
    private static let limit = 6

    struct Line: TemplateValues {
        var title: String
        var value: String
    }

    static func lines(_ results: Results, _ page: PageRequest) -> [Line] {
        results.questions.filter { $0.retired != true }.prefix(limit).compactMap { result in
            value(of: result, page.texts).map { Line(title: result.title, value: $0) }
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

    /// The net promoter score or the mean of a rating that has answers.
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

    /// The most frequent answer, or two of them; the number of more that are equal.
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

/// The response rate as a ring with the number in it.
struct ResponseRing: TemplateValues {
    var percent: String
    /// The length of the arc, of 100.
    var part: String
    var label: String

    /// Nil if nobody knows how many people could answer.
    init?(_ results: Results, _ page: PageRequest) {
        guard let rate = results.responseRate, let base = results.responseBase else { return nil }
        let people = base == "headcount" ? results.headcount ?? 0 : results.attended
        percent = NumberText.percent(rate)
        part = "\(Int((min(max(rate, 0), 1) * 100).rounded()))"
        label = page.texts(
            base == "headcount" ? "charts.of-headcount" : "charts.of-attended",
            ["count": "\(results.submissions)", "people": "\(people)"])
    }
}
