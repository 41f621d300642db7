import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// What became other about a question once people could answer it, so that nobody reads two questions as one.
struct WordingChanges {
    /// Those that can change what an answer means; places and limits do not.
    static let described = [
        "added", "restored", "reworded", "described", "min-labelled", "max-labelled", "option-added",
        "option-retired", "option-restored", "option-reworded",
    ]

    private let changes: [QuestionChange]
    private let page: PageRequest

    /// - Parameter first: when the first answer came, as far as it is known: what changed before means nothing for any.
    init(_ results: Results, since first: Date? = nil, _ page: PageRequest) {
        self.page = page
        changes = Self.described(results).filter { change in first.map { change.at >= $0 } ?? true }
    }

    /// For a host: when people answered is nobody else's to know.
    init(_ results: Results, _ host: MeetingContext) async throws {
        self.init(results, since: try await Self.first(results, host), host.page)
    }

    private static func described(_ results: Results) -> [QuestionChange] {
        guard results.submissions > 0 else { return [] }
        return results.changes.filter { described.contains($0.change) }
    }

    /// The beginning of the minute of the first answer, of its day if the form is anonymous; long after all of these
    /// changes where none came before them.
    private static func first(_ results: Results, _ host: MeetingContext) async throws -> Date? {
        guard let newest = described(results).map(\.at).max() else { return nil }
        // Answers of the same minute count as earlier; in longer steps where there are too many of them.
        let end = Date(timeIntervalSince1970: (newest.timeIntervalSince1970 + 1).rounded(.down))
        for step in host.isAnonymous ? ["day"] : ["minute", "hour", "day"] {
            if let first = try await host.reader.firstSubmission(of: host.details, by: step, before: end) {
                return first
            }
        }
        return nil
    }

    func values(of key: String) -> [String: Any]? {
        let sentences = changes.filter { $0.key == key }.map { change in
            page.texts(
                "charts.changed-\(change.change)",
                ["time": page.time(change.at), "from": change.from ?? "", "to": change.to ?? ""])
        }
        return sentences.isEmpty ? nil : ["items": sentences.map { ["text": $0] }]
    }
}
