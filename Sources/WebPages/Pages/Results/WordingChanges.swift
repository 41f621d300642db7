import Contract
import Foundation
import HTTPAPI
import HTTPTypes
import StrictJSON

/// Changes of questions after their first answers, which readers of the numbers need to know.
struct WordingChanges {
    /// Changes that can change the meaning of an answer, unlike those of order and limits.
    static let described = [
        "added", "restored", "reworded", "described", "min-labelled", "max-labelled", "option-added",
        "option-retired", "option-restored", "option-reworded",
    ]

    private let changes: [QuestionChange]
    private let page: PageRequest

    /// - Parameter first: The time of the first answer, if it is known. Earlier changes affect no answer.
    init(_ results: Results, since first: Date? = nil, _ page: PageRequest) {
        self.page = page
        changes = Self.described(results).filter { change in first.map { change.at >= $0 } ?? true }
    }

    /// For a host. Others may not know the times of submissions.
    init(_ results: Results, _ host: MeetingContext) async throws {
        self.init(results, since: try await Self.first(results, host), host.page)
    }

    private static func described(_ results: Results) -> [QuestionChange] {
        guard results.submissions > 0 else { return [] }
        return results.changes.filter { described.contains($0.change) }
    }

    /// The start of the minute, or of an anonymous form the day, of the first submission before the newest change.
    private static func first(_ results: Results, _ host: MeetingContext) async throws -> Date? {
        guard let newest = described(results).map(\.at).max() else { return nil }
        // Submissions of the same minute count as earlier. A form that was open for long has too many minutes.
        let end = Date(timeIntervalSince1970: (newest.timeIntervalSince1970 + 1).rounded(.down))
        for step in host.isAnonymous ? ["day"] : ["minute", "hour", "day"] {
            if let first = try await host.reader.firstSubmission(of: host.details, by: step, before: end) {
                return first
            }
        }
        return nil
    }

    struct Values: TemplateValues {
        struct Item: TemplateValues { var text: String }

        var items: [Item]
    }

    /// Nil if the question has not changed.
    func values(of key: String) -> Values? {
        let sentences = changes.filter { $0.key == key }.map { change in
            page.texts(
                "charts.changed-\(change.change)",
                ["time": page.time(change.at), "from": change.from ?? "", "to": change.to ?? ""])
        }
        return sentences.isEmpty ? nil : Values(items: sentences.map { .init(text: $0) })
    }
}
