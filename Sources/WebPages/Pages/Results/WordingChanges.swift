import Contract
import Foundation
import HTTPAPI

/// The changes to questions that readers of the numbers need to know.
struct WordingChanges {
    /// The kinds of changes that can affect the meaning of an answer. Others, such as a new order, are not described.
    static let described = [
        "added", "restored", "reworded", "described", "conditioned", "min-labelled", "max-labelled", "abstain-labelled",
        "points-labelled",
        "grid-titled",
        "option-added", "option-retired", "option-restored", "option-reworded",
    ]

    private let changes: [QuestionChange]
    private let texts: PageTexts

    /// - Parameter first: The time of the first answer, if it is known. Earlier changes affect no answer.
    init(_ results: Results, since first: Date? = nil, _ texts: PageTexts) {
        self.texts = texts
        changes = Self.describedChanges(results).filter { change in first.map { change.at >= $0 } ?? true }
    }

    /// The changes for a host, without those before the first answer. Other readers must not learn the times of
    /// submissions.
    init(_ results: Results, _ host: HostMeeting, _ texts: PageTexts) async throws {
        self.init(results, since: try await Self.firstSubmission(results, host), texts)
    }

    private static func describedChanges(_ results: Results) -> [QuestionChange] {
        guard results.submissions > 0 else { return [] }
        return results.changes.filter { described.contains($0.change) }
    }

    /// The time of the first submission before the newest change, rounded down to the minute or a longer step;
    /// `distantFuture` if there is no such submission. For an anonymous form, only the day is known.
    private static func firstSubmission(_ results: Results, _ host: HostMeeting) async throws -> Date? {
        guard let newest = describedChanges(results).map(\.at).max() else { return nil }
        // A submission in the minute of the change counts as earlier. Longer steps follow, because a form that was open
        // for a long time has too many minutes.
        let end = Date(timeIntervalSince1970: (newest.timeIntervalSince1970 + 1).rounded(.down))
        for step in host.isAnonymous ? ["day"] : ["minute", "hour", "day"] {
            if let first = try await host.reader.firstSubmission(of: host.details, by: step, before: end) {
                return first
            }
        }
        return nil
    }

    struct Values: TemplateValues, Hashable {
        var items: [String]
    }

    /// Nil if the question has not changed.
    func values(of key: String) -> Values? {
        let sentences = changes.filter { $0.key == key }.map { change in
            texts(
                "charts.changed-\(change.change)",
                ["time": texts.time(change.at), "from": change.from ?? "", "to": change.to ?? ""])
        }
        return sentences.isEmpty ? nil : Values(items: sentences)
    }
}
