import Contract
import Foundation
import HTTPTypes
import NIOCore
import StrictJSON

/// Results as a page shows them: each question with its numbers in a table, and what was written.
struct ResultsPage {
    /// Texts of a question, for those who have no page with all of them, and for hosts, who have.
    private static let (texts, textsForHosts) = (100, 5)
    /// Questions whose change since the round before is asked for.
    private static let compared = 30

    let results: Results
    /// Where the API has them.
    let source: String
    var authorization: String?
    let page: PageRequest
    /// As the form's newest version asks them, where that is known.
    var questions: [QuestionBody] = []
    /// The meeting, if it is its host who looks.
    var host: MeetingContext?
    /// Only some submissions are counted: texts, pictures and other rounds are of all.
    var isFiltered = false
    /// The form takes no answers now.
    var isShut = false

    /// Why less is shown than has come, and how much that is; nil where all is shown.
    static func withheld(_ results: Results, isShut: Bool, _ page: PageRequest) -> String? {
        results.withheld.map { held in
            // While answers come, numbers move one group behind them.
            let first = held.minimum * 2
            let rest =
                if held.shown == results.submissions {
                    "results.changes-held"
                } else if isShut {
                    "results.too-few"
                } else {
                    held.shown == 0 && results.submissions < first ? "results.none-yet" : "results.shown-so-far"
                }
            let numbers = [
                "minimum": "\(held.minimum)", "first": "\(first)", "shown": "\(held.shown)",
                "count": "\(results.submissions)",
            ]
            return page.texts("results.withheld", numbers) + " " + page.texts(rest, numbers)
        }
    }

    /// - Parameter head: what stands above them, such as `title`.
    func values(head: [String: Any]) async throws -> [String: Any] {
        var values = head
        values["submissions"] = page.texts(
            results.submissions == 1 ? "results.one-submission" : "results.submissions",
            ["count": "\(results.submissions)"])
        values["revision"] = results.revision
        values["withheld"] = Self.withheld(results, isShut: host?.isShut ?? isShut, page)
        values["ring"] = ResponseRing.values(results, page)
        values["charts"] = Self.charts(page)
        let changes =
            if let host { try await WordingChanges(results, host) } else { WordingChanges(results, page) }
        var parts: [[String: Any]] = []
        for result in results.questions where result.retired != true || (host != nil && result.answered > 0) {
            var part = try await part(result, place: parts.count)
            part["changes"] = changes.values(of: result.key)
            parts.append(part)
        }
        values["questions"] = parts
        return values
    }

    /// The scripts that draw charts, where there are any.
    static func charts(_ page: PageRequest) -> [String: Any]? {
        page.kit.files.chartLibrary.map { ["library": $0, "script": page.kit.files.address("charts.js")] }
    }

    private func part(_ result: QuestionResults, place: Int) async throws -> [String: Any] {
        var comparison: RoundComparison?
        if let host, !isFiltered, host.meeting.round > 1, place < Self.compared, result.kind != "text" {
            comparison = try await RoundComparison(of: result, host)
        }
        let part = QuestionPart(
            result: result, definition: questions.first { $0.key == result.key }, withheld: results.withheld,
            page: page)
        var values = part.values(with: comparison)
        guard !isFiltered else {
            values["isUnfiltered"] = result.kind == "text" && result.answered > 0
            return values
        }
        values["hasPicture"] = host != nil && result.kind != "text" && result.answered > 0
        if result.kind == "text", host != nil || result.released == true, result.answered > 0 {
            let written = try await written(result.key)
            values["texts"] = written.isEmpty ? nil : written
        }
        if result.kind == "text", host != nil {
            values["isReadable"] = true
            if let done = TextActs.done(page), done.key == result.key { values["undo"] = ["act": done.act] }
        }
        return values
    }

    /// The newest texts; none while an anonymous form keeps them back.
    private func written(_ key: String) async throws -> [[String: Any]] {
        let limit = host == nil ? Self.texts : Self.textsForHosts
        let answer = try await page.ask(.get, "\(source)/\(key)/answers?limit=\(limit)", as: authorization)
        guard answer.status == .ok else { return [] }
        let items = try JSONValue.parse(Array(answer.bytes.readableBytesView))["items"]?.array ?? []
        return items.map { item in
            var values: [String: Any] = ["text": item["text"]?.string ?? ""]
            // By which a text is hidden: for hosts alone.
            values["answerId"] = item["id"]?.string
            return values
        }
    }
}
