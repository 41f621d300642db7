import BlockingWork
import Domain
import Foundation
import Postgres
import Words

/// Equal texts of one list.
public struct TextGroup: Sendable {
    /// The texts in the order of the list, at least one. Of very many, the first ones.
    public var texts: [TextAnswer]
    /// The number of equal texts.
    public var count: Int
}

/// A page of a question's texts on which equal texts are one entry.
public struct TextGroupPage: Sendable {
    public var groups: [TextGroup]
    /// The cursor of the next page; nil after the last.
    public var next: String?
    /// Whether the page ended early, as `TextAnswerPage.isPartial`.
    public var isPartial: Bool
    /// Whether a limit ended the comparison, so that there may be more equal texts than counted.
    public var isSampled: Bool
}

extension TextAnswers {
    /// The maximum number of texts of one group that a page contains.
    public static let maxGrouped = 100

    /// Returns a page like `list`, with equal texts as one entry, in the place of the first of them. The others are
    /// omitted from this page and all others.
    ///
    /// Compares the texts of which `terms` counts the words: the newest, up to the same limits. Texts beyond them are
    /// entries of their own. If an anonymous form has texts beyond them, all of its texts are: the entries of several
    /// questions would show which answers are from the same few submissions. All of this is read in one snapshot, but
    /// the next page is another reading: a text that arrives meanwhile may become the first of its group, and the page
    /// with its place was read before.
    public func grouped(
        of meeting: Meeting, question key: String, containing search: String? = nil,
        filter: TextFilter = TextFilter(), after cursor: String? = nil, limit: Int
    ) async throws -> TextGroupPage {
        try await reading(for: .host) { connection in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            try await Self.requireVisible(in: meeting, on: connection)
            let list = TextList(search: search, filter: filter, shuffled: question.anonymous)
            let query = try searchQuery(of: list)
            let sample = try await sample(of: question, filter: filter, on: connection)
            let answerKeys = try AnswerKeyDerivation(keys: keys).answerKeys(
                of: question.formID, question: key, keyNumber: question.keyNumber)
            var texts = sample.texts
            if question.anonymous {
                // The sample is in the order of the submissions. Each question has its own order instead.
                texts = sample.isTruncated ? [] : try await sorted(texts, by: answerKeys)
            }
            let repeated = try await repeatedTexts(in: texts, matching: query)
            let omitted = Set(repeated.flatMap { $0.dropFirst().map(\.submissionID) })
            let page = try await read(
                list, of: question, after: cursor, limit: limit, omitting: omitted, on: connection)
            let groups = repeated.map { group in
                TextGroup(
                    texts: group.prefix(Self.maxGrouped).map { list.answer($0, to: question, answerKeys) },
                    count: group.count)
            }
            return TextGroupPage(
                groups: fit(groups, in: page.items), next: page.next, isPartial: page.isPartial,
                isSampled: sample.isTruncated && !question.anonymous)
        }
    }

    /// Groups the texts that match the search. Returns the groups of at least two.
    private func repeatedTexts(in texts: [FoundText], matching query: SearchQuery?) async throws -> [[FoundText]] {
        try await compute {
            var matching = texts
            if let query { matching = zip(texts, query.found(in: texts.lazy.map(\.text))).filter(\.1).map(\.0) }
            return ComparedText.groups(of: matching.lazy.map(\.text)).filter { $0.count > 1 }
                .map { positions in positions.map { matching[$0] } }
        }
    }

    private func sorted(_ texts: [FoundText], by answerKeys: AnswerKeys) async throws -> [FoundText] {
        try await compute {
            texts.map { (answerKeys.position(of: $0.submissionID), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Runs `body` on a thread that serves no requests.
    private func compute<T: Sendable>(_ body: @escaping @Sendable () -> T) async throws -> T {
        do {
            return try await searching.run(body)
        } catch {
            throw Problem(.overloaded, "Too many text searches are running; try again later.", retryAfter: 2)
        }
    }

    /// The groups of the texts on a page. Their other texts are listed until the page has as many bytes as a page may
    /// have.
    private func fit(_ groups: [TextGroup], in items: [TextAnswer]) -> [TextGroup] {
        let groupsByFirst = Dictionary(groups.map { ($0.texts[0].id, $0) }, uniquingKeysWith: { first, _ in first })
        var bytes = 0
        return items.map { item in
            guard var group = groupsByFirst[item.id] else { return TextGroup(texts: [item], count: 1) }
            let fitting = group.texts.dropFirst().prefix { text in
                bytes += text.text.utf8.count
                return bytes <= bounds.pageBytes
            }
            group.texts = [group.texts[0]] + fitting
            return group
        }
    }
}
