import Contract
import Domain
import Store
import Words

extension HostReader {
    /// Equal texts of one question.
    public struct TextGroup: Sendable {
        /// At least one. Of very many, the first ones.
        public var texts: [Contract.TextAnswer]
        /// The number of equal texts.
        public var count: Int
    }

    /// A page of a question's texts.
    public struct TextList: Sendable {
        public var groups: [TextGroup]
        /// The cursor of the next page.
        public var next: String?
        /// Whether the page ended early, so that the next one may have more texts.
        public var isPartial = false
        /// Whether there may be more equal texts than counted.
        public var isSampled = false

        public init(groups: [TextGroup], next: String? = nil, isPartial: Bool = false, isSampled: Bool = false) {
            (self.groups, self.next, self.isPartial, self.isSampled) = (groups, next, isPartial, isSampled)
        }
    }

    /// Which texts of a question a page lists.
    public struct TextSelection: Sendable {
        public var search: String?
        /// Whether to list the hidden texts instead of the visible ones.
        public var isHidden = false
        /// Whether equal texts are one entry.
        public var isGrouped = true
        /// Whether to list only texts with a star.
        public var isStarred = false
        /// Lists only texts with this tag.
        public var tag: String?

        public init(search: String?, isHidden: Bool, isGrouped: Bool, isStarred: Bool = false, tag: String? = nil) {
            (self.search, self.isHidden, self.isGrouped) = (search, isHidden, isGrouped)
            (self.isStarred, self.tag) = (isStarred, tag)
        }

        var filter: TextFilter { TextFilter(hidden: isHidden, starred: isStarred, tag: tag) }
    }

    /// A page of a text question's answers.
    public func texts(
        of key: String, in details: MeetingDetails, _ selection: TextSelection, after cursor: String?, limit: Int
    ) async throws -> TextList {
        let search = try selection.search.flatMap { try TextPage.search($0) }
        guard selection.isGrouped else {
            let page = try await store.texts.list(
                of: details.stored, question: key, containing: search, hidden: selection.isHidden,
                starred: selection.isStarred, tag: selection.tag, after: cursor, limit: limit)
            return TextList(
                groups: page.items.map { TextGroup(texts: [Contract.TextAnswer($0)], count: 1) }, next: page.next,
                isPartial: page.isPartial)
        }
        let page = try await store.texts.grouped(
            of: details.stored, question: key, containing: search, filter: selection.filter, after: cursor,
            limit: limit)
        return TextList(
            groups: page.groups.map { TextGroup(texts: $0.texts.map { Contract.TextAnswer($0) }, count: $0.count) },
            next: page.next, isPartial: page.isPartial, isSampled: page.isSampled)
    }

    /// The tags of a question's visible texts, the most frequent first, and the number of texts with a star.
    public func markCounts(
        of key: String, in details: MeetingDetails
    ) async throws -> (starred: Int, tags: [(tag: String, count: Int)]) {
        let counts = try await store.texts.markCounts(of: details.stored, question: key)
        return (counts.starred, counts.tags)
    }

    /// A text that was submitted.
    public struct Text: Sendable {
        public var id: ResourceID
        public var text: String
    }

    /// The newest texts of several questions, by question, and whether they are all; empty while an anonymous form
    /// withholds them.
    ///
    /// - Parameters:
    ///   - choices: Those of the questions that are choices, whose own answers are read.
    ///   - enough: The number of texts for which no further statement is sent.
    public func newestTexts(
        of questions: [String], choices: [String], in details: MeetingDetails, limit: Int, enough: Int,
        maxBytes: Int
    ) async throws -> [String: (texts: [Text], isComplete: Bool)] {
        let found = try await store.texts.newest(
            of: details.stored, questions: questions, choices: choices, limit: limit, enough: enough,
            maxBytes: maxBytes)
        return found.mapValues { first in
            (first.texts.map { Text(id: ResourceID($0.id), text: $0.text) }, first.isComplete)
        }
    }

    /// Groups equal texts, in the order of their first ones.
    public static func groups<Text>(of texts: [Text], text: (Text) -> String) -> [[Text]] {
        ComparedText.groups(of: texts.map(text)).map { positions in positions.map { texts[$0] } }
    }
}
