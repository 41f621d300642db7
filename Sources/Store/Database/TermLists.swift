import Foundation

/// A cache of term lists. The key contains the revision of the results, so an entry is never out of date.
final class TermLists: Sendable {
    private struct Key: Hashable, Sendable {
        var formID: UUID
        var question: String
        var revision: Int
        var keepsStopWords: Bool
    }

    private let lists = LRUCache<Key, TermList>(capacity: 100, maxBytes: 4 << 20)

    func find(_ question: TextQuestion, _ keepsStopWords: Bool) -> TermList? {
        lists.find(Self.key(question, keepsStopWords))
    }

    func insert(_ list: TermList, of question: TextQuestion, _ keepsStopWords: Bool) {
        let bytes = list.items.reduce(0) { $0 + $1.term.utf8.count + MemoryLayout<TermList.Item>.stride }
        lists.insert(list, for: Self.key(question, keepsStopWords), bytes: bytes)
    }

    private static func key(_ question: TextQuestion, _ keepsStopWords: Bool) -> Key {
        Key(
            formID: question.formID, question: question.key, revision: question.revision,
            keepsStopWords: keepsStopWords)
    }
}
