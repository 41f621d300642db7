import Contract
import Foundation
import HTTPTypes
import NIOCore
import StrictJSON

/// Results as participants see them: each question with its numbers in a table, whose bars are drawn beside them.
enum ResultsPage {
    private static let width = 1000.0
    /// Texts of a question on the page.
    private static let texts = 100

    /// - Parameters:
    ///   - head: what stands above them, such as `title`.
    ///   - source: where the API has these results, for the texts that are released.
    static func values(
        _ results: Results, head: [String: Any], source: String, as authorization: String? = nil, _ page: PageRequest,
        forHost: Bool = false
    ) async throws -> [String: Any] {
        let texts = page.texts
        var values = head
        values["submissions"] = texts(
            results.submissions == 1 ? "results.one-submission" : "results.submissions",
            ["count": "\(results.submissions)"])
        if let withheld = results.withheld {
            values["withheld"] = texts("results.withheld", ["minimum": "\(withheld.minimum)"])
        }
        var questions: [[String: Any]] = []
        for result in results.questions where result.retired != true {
            var one = question(result, page, isHidden: results.withheld?.shown == 0)
            one["key"] = result.key
            one["isText"] = result.kind == "text"
            one["isReleased"] = result.released == true
            one["hasPicture"] = forHost && result.kind != "text" && result.answered > 0
            if result.kind == "text", forHost || result.released == true, result.answered > 0 {
                one["texts"] = try await written(result.key, source, as: authorization, page)
            }
            questions.append(one)
        }
        values["questions"] = questions
        return values
    }

    /// The first of the texts that the host has released; none while an anonymous form keeps them back.
    private static func written(
        _ key: String, _ source: String, as authorization: String?, _ page: PageRequest
    ) async throws -> [[String: String]] {
        let answer = try await page.ask(.get, "\(source)/\(key)/answers?limit=\(texts)", as: authorization)
        guard answer.status == .ok else { return [] }
        // Ids, by which a text is hidden, are for hosts alone.
        let items = try JSONValue.parse(Array(answer.bytes.readableBytesView))["items"]?.array ?? []
        return items.map { ["text": $0["text"]?.string ?? "", "id": $0["id"]?.string ?? ""] }
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
