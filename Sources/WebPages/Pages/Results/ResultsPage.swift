import Contract
import Foundation
import HTTPAPI
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
        let shown = results.questions.filter { $0.retired != true || (host != nil && $0.answered > 0) }
        let (trends, texts) = (try await trends(of: shown), try await texts(of: shown))
        var parts: [[String: Any]] = []
        for result in shown {
            var part = part(result, trends[result.key], texts[result.key] ?? [])
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

    /// The course over the rounds of the first questions that have numbers, by question.
    private func trends(of questions: [QuestionResults]) async throws -> [String: Trend] {
        guard let host, !isFiltered, host.meeting.round > 1 else { return [:] }
        let compared = questions.prefix(Self.compared).filter { $0.kind != "text" }.map(\.key)
        let trends = try await host.reader.trends(of: compared, around: host.details)
        return Dictionary(trends.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// What was written, by question: the newest for hosts, the released for others.
    private func texts(of questions: [QuestionResults]) async throws -> [String: [[String: Any]]] {
        guard !isFiltered else { return [:] }
        let written = questions.filter { $0.kind == "text" && $0.answered > 0 && (host != nil || $0.released == true) }
        if let host {
            let found = try await host.reader.newestTexts(
                of: written.map(\.key), in: host.details, limit: Self.textsForHosts)
            return found.mapValues { $0.map { ["text": $0.text, "answerId": "\($0.id)"] } }
        }
        var all: [String: [[String: Any]]] = [:]
        for question in written { all[question.key] = try await released(question.key) }
        return all
    }

    private func part(_ result: QuestionResults, _ trend: Trend?, _ texts: [[String: Any]]) -> [String: Any] {
        var comparison: RoundComparison?
        if let host, let trend { comparison = RoundComparison(of: result, in: trend, host) }
        let part = QuestionPart(
            result: result, definition: questions.first { $0.key == result.key }, withheld: results.withheld,
            page: page)
        var values = part.values(with: comparison)
        guard !isFiltered else {
            values["isUnfiltered"] = result.kind == "text" && result.answered > 0
            return values
        }
        values["hasPicture"] = host != nil && result.kind != "text" && result.answered > 0
        values["texts"] = texts.isEmpty ? nil : texts
        if result.kind == "text", host != nil {
            values["isReadable"] = true
            if let done = TextActs.done(page), done.key == result.key { values["undo"] = ["act": done.act] }
        }
        return values
    }

    /// Released texts; none while an anonymous form withholds them.
    private func released(_ key: String) async throws -> [[String: Any]] {
        let answer = try await page.ask(.get, "\(source)/\(key)/answers?limit=\(Self.texts)", as: authorization)
        guard answer.status == .ok else {
            if [.serviceUnavailable, .tooManyRequests].contains(answer.status) { throw PageError(answer) }
            return []
        }
        let items = try JSONValue.parse(Array(answer.bytes.readableBytesView))["items"]?.array ?? []
        return items.map { ["text": $0["text"]?.string ?? ""] }
    }
}
