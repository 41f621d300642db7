import BlockingWork
import Domain
import Foundation
import Postgres
import StrictJSON
import Words

/// A submitted text.
public struct TextAnswer: Sendable {
    /// The submission's id. For an anonymous form, an id of this answer alone, which is not linked to other answers.
    public var id: UUID
    /// Nil if the form is anonymous.
    public var submittedAt: Date?
    public var text: String
    public var isHidden: Bool
    public var marks = TextMarks.none
}

/// A page of a question's texts.
public struct TextAnswerPage: Sendable {
    public var items: [TextAnswer]
    /// The cursor of the next page; nil after the last.
    public var next: String?
    /// Whether the limit of time or bytes was reached before the page was full. There may be more texts; the next page
    /// continues where this one ended.
    public var isPartial: Bool
}

/// Reads participants' texts page by page: for hosts, and for others if a host has released the texts.
public struct TextAnswers: Sendable {
    let pool: Pool
    let source: ReadSource
    let keys: KeyRing
    let bounds: TextBounds
    let permits: TextPermits
    let orders = ShuffledOrderCache()
    let lists = TermLists()
    /// Texts are searched and their words counted on separate threads, which serve no requests.
    let searching = BlockingWork("afterword.search", maximumRunning: 2, maximumWaiting: 16)
    let counting = BlockingWork("afterword.terms", maximumRunning: 1, maximumWaiting: 16)
    /// An account counts the words of one question at a time, so that it leaves connections and turns of the thread to
    /// others. The key is nil for callers without an account.
    let countPermits = KeyedPermits<UUID?>(1)

    init(pool: Pool, source: ReadSource, keys: KeyRing, bounds: TextBounds, poolSize: Int) {
        self.pool = pool
        self.source = source
        self.keys = keys
        self.bounds = bounds
        permits = TextPermits(poolSize: poolSize)
    }

    /// Returns a page of a text question's answers, the newest first. For an anonymous form, uses an order that reveals
    /// nothing about authors and times, and throws 409 until the form is closed and settled.
    ///
    /// - Parameters:
    ///   - search: Returns only answers that match this text, as `Words.SearchQuery` defines. Nil or blank for all
    ///     answers.
    ///   - hidden: Returns the hidden texts instead of the visible ones.
    ///   - starred: Returns only texts with a star.
    ///   - tag: Returns only texts with this tag.
    ///   - cursor: The `next` of the previous page; throws 422 for a cursor of another list.
    public func list(
        of meeting: Meeting, question key: String, containing search: String? = nil, hidden: Bool = false,
        starred: Bool = false, tag: String? = nil, after cursor: String? = nil, limit: Int
    ) async throws -> TextAnswerPage {
        try await reading(for: .host) { connection in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            try await Self.requireVisible(in: meeting, on: connection)
            let filter = TextFilter(hidden: hidden, starred: starred, tag: tag)
            let list = TextList(search: search, filter: filter, shuffled: question.anonymous)
            return try await read(list, of: question, after: cursor, limit: limit, on: connection)
        }
    }

    /// Returns a page of released texts, for participants and people with a share link. Throws 403 unless a host has
    /// released the texts. Omits hidden texts, and always uses the order that reveals nothing about authors and times.
    public func released(
        of meeting: Meeting, question key: String, containing search: String? = nil, after cursor: String? = nil,
        limit: Int
    ) async throws -> TextAnswerPage {
        try await reading(for: .guest(formID: meeting.form.id)) { connection in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            guard !question.isChoice else {
                throw Problem(.notFound, "Own answers to a choice are for hosts alone.")
            }
            guard question.isReleased else {
                throw Problem(.resultsNotShown, "The host has not released these texts.")
            }
            try await Self.requireVisible(in: meeting, on: connection)
            let list = TextList(search: search, shuffled: true)
            return try await read(list, of: question, after: cursor, limit: limit, on: connection)
        }
    }

    /// Runs `body` with a permit and a time limit, in one snapshot, so that the checked state of the form belongs to
    /// the same moment as the texts.
    func reading<T: Sendable>(
        for reader: TextPermits.Reader, _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T {
        let lease = try await permits.acquire(for: reader)
        defer { withExtendedLifetime(lease) {} }
        return try await source.transaction { connection in
            try await connection.query(TextPermits.limits)
            return try await body(connection)
        }
    }

    /// Throws 409 while an anonymous form's texts could reveal their authors. This depends on the form's state in the
    /// transaction of `connection`, not on the state in `meeting`.
    static func requireVisible(in meeting: Meeting, on connection: Connection) async throws {
        guard meeting.form.anonymous else { return }
        try await AnonymousRelease.require(meeting.id, on: connection)
    }

    /// - Parameter omitted: The submissions whose texts the list does not contain.
    func read(
        _ list: TextList, of question: TextQuestion, after cursor: String?, limit: Int,
        omitting omitted: Set<UUID> = [], on connection: Connection
    ) async throws -> TextAnswerPage {
        let cursors = try TextCursor(list, of: question, keys: keys)
        let start = try cursor.map(cursors.read)
        let answerKeys = try AnswerKeyDerivation(keys: keys).answerKeys(
            of: question.formID, question: question.key, keyNumber: question.keyNumber)
        let long = LongAnswers(question: question, bytes: bounds.longTextBytes, connection: connection)
        let steps: any TextSteps =
            list.shuffled
            ? ShuffledTexts(
                question: question, answerKeys: answerKeys, orders: orders, smallestGroup: bounds.smallestGroup,
                largestGroup: bounds.largestGroup, long: long, connection: connection)
            : NewestTexts(question: question, long: long, connection: connection)
        return try await fill(
            list, of: question, limit: limit, omitting: omitted, from: start, by: steps, answerKeys, cursors)
    }

    /// The number of texts on a page: at most `limit`, and at most `pageBytes` in total unless the first is longer.
    private func count(of found: [FoundText], limit: Int) -> Int {
        var bytes = 0
        for (index, text) in found.prefix(limit).enumerated() {
            bytes += text.text.utf8.count
            if bytes > bounds.pageBytes { return max(1, index) }
        }
        return min(limit, found.count)
    }

    /// Reads step by step until the page is full, the list ends, or the time limit is reached.
    private func fill(
        _ list: TextList, of question: TextQuestion, limit: Int, omitting omitted: Set<UUID>,
        from start: TextPosition?, by steps: any TextSteps, _ answerKeys: AnswerKeys, _ cursors: TextCursor
    ) async throws -> TextAnswerPage {
        let query = try searchQuery(of: list)
        var pace = ReadingPace(bounds, first: limit + 1)
        var (found, position): ([FoundText], TextPosition?) = ([], start)
        func page(of count: Int? = nil, upTo end: TextPosition?, isPartial: Bool = false) -> TextAnswerPage {
            TextAnswerPage(
                items: found.prefix(count ?? limit).map { list.answer($0, to: question, answerKeys) },
                next: end.map(cursors.write), isPartial: isPartial)
        }
        repeat {
            let step = try await steps.take(pace.size, after: position, of: list.filter, until: pace.end)
            let (matching, searched) = try await filter(step.texts, by: query, until: pace.end)
            found += matching.filter { !omitted.contains($0.submissionID) }
            // One text more than the page shows means that there is a next page.
            let count = count(of: found, limit: limit)
            if found.count > count { return page(of: count, upTo: found[count - 1].position, isPartial: count < limit) }
            guard searched == step.texts.count else {
                position = step.texts[searched - 1].position
                break
            }
            guard let reached = step.reached else { return page(upTo: nil) }
            position = reached
            pace.step()
        } while !pace.isOver
        return found.count == limit ? page(upTo: found[limit - 1].position) : page(upTo: position, isPartial: true)
    }

    func searchQuery(of list: TextList) throws -> SearchQuery? {
        guard let query = list.search.flatMap({ SearchQuery($0) }) else { return nil }
        guard query.length <= bounds.searchLength else {
            throw Problem(
                invalid: "?q", code: "too-long",
                "At most \(bounds.searchLength) UTF-16 units are allowed after normalization.")
        }
        return query
    }

    /// Searches the texts in their order until the time limit, but at least one. Returns the texts that match, and the
    /// number of texts searched.
    private func filter(
        _ texts: [FoundText], by query: SearchQuery?, until end: ContinuousClock.Instant
    ) async throws -> (matching: [FoundText], searched: Int) {
        guard let query, !texts.isEmpty else { return (texts, texts.count) }
        do {
            return try await searching.run {
                let matches = query.found(in: texts.lazy.map(\.text), until: end)
                return (zip(texts, matches).filter { $0.1 }.map(\.0), matches.count)
            }
        } catch {
            throw Problem(.overloaded, "Too many text searches are running; try again later.", retryAfter: 2)
        }
    }
}
