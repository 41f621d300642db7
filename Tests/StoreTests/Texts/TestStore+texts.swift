import Domain
import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport

/// A text answer to store. The question is skipped if `text` is nil; the answer is submitted now if `at` is nil.
struct WrittenText: Sendable {
    var text: String?
    var at: Date?
    var id = UUID()
}

extension TestStore {
    static let textQuestions = """
        [{"key": "better", "kind": "text", "title": "Better?"}, {"key": "more", "kind": "text", "title": "More?"}]
        """

    /// Stores submissions as an import does, with any times. An anonymous form gets them as from participants.
    func write(_ texts: [WrittenText], to meeting: Meeting, question key: String = "better") async throws {
        let answers = texts.map { text in
            text.text.map { JSONValue.object([.init(key, .string($0))]).text } ?? "{}"
        }
        let other = key == "better" ? "more" : "better"
        let rows: [Int32] = texts.indices.flatMap { [Int32($0 + 1), Int32($0 + 1)] }
        let buckets: [Int32] = texts.flatMap { [Int32($0.text == nil ? 2 : 1), 3] }
        let noMACs = [[UInt8]?](repeating: nil, count: texts.count)
        try await store.pool.query(
            """
            SELECT outcomes FROM ingest(\(meeting.form.id), \(texts.map(\.id)),
                \([Int32](repeating: 1, count: texts.count)), \(answers), \([UUID?](repeating: nil, count: texts.count)),
                \(noMACs), \(noMACs), \([key, key, other]), \(["#answered", "#skipped", "#skipped"]), \(rows), \(buckets),
                NOT (SELECT anonymous FROM form_state WHERE form_id = \(meeting.form.id)), \(texts.map(\.at)))
            """)
    }

    /// Reads all pages in order. Returns their texts, the number of pages and the number of partial pages.
    func walk(
        _ meeting: Meeting, in store: Store? = nil, released: Bool = false, containing search: String? = nil,
        hidden: Bool = false, limit: Int, afterEachPage: (Int) async throws -> Void = { _ in }
    ) async throws -> (texts: [TextAnswer], pages: Int, partial: Int) {
        let texts = (store ?? self.store).texts
        var (answers, cursor, pages, partial): ([TextAnswer], String?, Int, Int) = ([], nil, 0, 0)
        repeat {
            let page =
                released
                ? try await texts.released(
                    of: meeting, question: "better", containing: search, after: cursor, limit: limit)
                : try await texts.list(
                    of: meeting, question: "better", containing: search, hidden: hidden, after: cursor, limit: limit)
            answers += page.items
            cursor = page.next
            pages += 1
            partial += page.isPartial ? 1 : 0
            guard page.items.count <= limit, !page.isPartial || (cursor != nil && page.items.count < limit) else {
                throw Missing("a page that keeps its limit and has a cursor if it is partial")
            }
            guard pages < 10_000 else { throw Missing("the last page") }
            try await afterEachPage(pages)
        } while cursor != nil
        return (answers, pages, partial)
    }

    /// A second store with other bounds: by default small groups and chunks, and time for only one step in each page.
    func boundedStore(
        _ chunk: ClosedRange<Int> = 1...7, group: Int = 4, time: Duration = .zero, bytes: Int = 4 << 20
    ) async throws -> Store {
        var bounds = TextBounds()
        bounds.stepSizes = chunk
        bounds.smallestGroup = group
        bounds.timeLimit = time
        bounds.longTextBytes = bytes
        return try await secondStore(texts: bounds)
    }
}
