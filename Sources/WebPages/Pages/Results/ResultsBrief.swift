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
        if let nps = result.summary?.nps {
            return texts("results.nps", ["score": QuestionPart.signed(nps.score.rounded(), digits: 0)])
        }
        if let mean = result.summary?.mean { return texts("results.mean", ["mean": QuestionPart.number(mean)]) }
        guard result.kind == "choice" else {
            return texts(
                result.answered == 1 ? "results.one-answer" : "results.answers", ["count": "\(result.answered)"])
        }
        // Of equals the first in the form's order.
        let points = result.points ?? []
        let highest = points.map(\.count).max()
        guard let best = points.first(where: { $0.count == highest }), let share = best.share else { return nil }
        return "\(ResultsFilter.label(of: best, in: result, texts)) (\(QuestionPart.percent(share)))"
    }
}
