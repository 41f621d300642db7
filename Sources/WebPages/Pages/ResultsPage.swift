import Contract
import Foundation

/// Results as participants see them: each question with its numbers in a table, whose bars are drawn beside them.
enum ResultsPage {
    private static let width = 1000.0

    static func values(_ results: Results, _ form: PublicForm, _ page: PageRequest) -> [String: Any] {
        let texts = page.texts
        var values = FormPage.head(form, page)
        values["submissions"] = texts(
            results.submissions == 1 ? "results.one-submission" : "results.submissions",
            ["count": "\(results.submissions)"])
        if let withheld = results.withheld {
            values["withheld"] = texts("results.withheld", ["minimum": "\(withheld.minimum)"])
        }
        values["questions"] = results.questions.filter { $0.retired != true }.map {
            question($0, page, isHidden: results.withheld?.shown == 0)
        }
        return values
    }

    private static func question(
        _ result: QuestionResults, _ page: PageRequest, isHidden: Bool
    ) -> [String: Any] {
        let texts = page.texts
        var values: [String: Any] = [
            "title": result.title
        ]
        if !isHidden {
            values["answered"] = texts(
                result.answered == 1 ? "results.one-answer" : "results.answers", ["count": "\(result.answered)"])
        }
        let points = result.points ?? []
        let most = points.map(\.count).max() ?? 0
        if !points.isEmpty {
            values["table"] = [
                "rows": points.map { point -> [String: Any] in
                    [
                        "label": point.label, "count": point.count,
                        "share": point.share.map { percent($0) } ?? "",
                        "width": most == 0 ? 0 : Int((width * Double(point.count) / Double(most)).rounded()),
                    ]
                }
            ]
        }
        if let summary = result.summary, let mean = summary.mean {
            if let nps = summary.nps {
                values["summary"] = texts("results.nps", ["score": "\(Int(nps.score.rounded()))"])
            } else {
                values["summary"] = texts("results.mean", ["mean": String(format: "%.2f", mean)])
            }
        }
        return values
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}
