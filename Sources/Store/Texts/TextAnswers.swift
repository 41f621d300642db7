import BlockingWork
import Domain
import Foundation
import Postgres
import StrictJSON
import Words

/// One text as it was submitted; for an anonymous form without its time, and with an id that is used nowhere else.
public struct TextAnswer: Sendable {
    /// The submission's id, or on an anonymous form one that belongs to this question alone.
    public var id: UUID
    public var submittedAt: Date?
    public var text: String
    public var isHidden: Bool
}

/// A page of a question's texts.
public struct TextAnswerPage: Sendable {
    public var items: [TextAnswer]
    /// The cursor of the next page; nil after the last.
    public var next: String?
    /// Whether the time was up before the page was full: there may be more, and the next page continues where this one
    /// ended.
    public var isPartial: Bool
}

/// Texts of participants, page by page: for hosts, and for others if the host has released them.
public struct TextAnswers: Sendable {
    let pool: Pool
    let keys: KeyRing
    let bounds: TextBounds
    let permits: TextPermits
    let orders = AnswerOrders()
    let lists = TermLists()
    /// Words are searched and counted on threads that serve no requests.
    let searching = BlockingWork("afterword.search", atOnce: 2, waiting: 16)
    let counting = BlockingWork("afterword.terms", atOnce: 1, waiting: 16)

    init(pool: Pool, keys: KeyRing, bounds: TextBounds, poolSize: Int) {
        self.pool = pool
        self.keys = keys
        self.bounds = bounds
        permits = TextPermits(poolSize: poolSize)
    }

    /// Returns a page of a text question's answers, newest first; for an anonymous form in an order that reveals
    /// nothing, and only if it is closed and settled.
    ///
    /// - Parameters:
    ///  - search: Text that they contain, as found by `Words.SearchWords`; nil or blank for all.
    ///  - hidden: Returns the hidden texts instead of the others.
    ///  - cursor: An earlier page's `next`; throws 422 for one of another list.
    public func list(
        of meeting: Meeting, question key: String, containing search: String? = nil, hidden: Bool = false,
        after cursor: String? = nil, limit: Int
    ) async throws -> TextAnswerPage {
        try await reading(forHost: true) { connection in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            try await Self.requireVisible(in: meeting, on: connection)
            let list = TextList(search: search, hidden: hidden, shuffled: question.anonymous)
            return try await read(list, of: question, after: cursor, limit: limit, on: connection)
        }
    }

    /// The same for participants and holders of a share: throws 403 unless the host has released the texts, omits
    /// hidden ones, and always uses the order that does not reveal who attended when.
    public func released(
        of meeting: Meeting, question key: String, containing search: String? = nil, after cursor: String? = nil,
        limit: Int
    ) async throws -> TextAnswerPage {
        try await reading(forHost: false) { connection in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            guard question.isReleased else {
                throw Problem(.resultsNotShown, "The host has not released these texts.")
            }
            try await Self.requireVisible(in: meeting, on: connection)
            let list = TextList(search: search, shuffled: true)
            return try await read(list, of: question, after: cursor, limit: limit, on: connection)
        }
    }

    /// Reads in one snapshot, so that the checked state is the one that is read; needs a permit, and has a time limit.
    func reading<T: Sendable>(
        forHost isHost: Bool, _ body: @Sendable (Connection) async throws -> T
    ) async throws -> T {
        let permit = try await permits.acquire(forHost: isHost)
        defer { withExtendedLifetime(permit) {} }
        return try await pool.transaction(isolation: .repeatableRead) { connection in
            try await connection.query(TextPermits.limits)
            return try await body(connection)
        }
    }

    /// Throws 409 while an anonymous form's texts could reveal their authors; decided by the form's current state, not
    /// by the time of the request.
    static func requireVisible(in meeting: Meeting, on connection: Connection) async throws {
        guard meeting.form.anonymous else { return }
        try await AnonymousRelease.require(meeting.id, on: connection)
    }

    private func read(
        _ list: TextList, of question: TextQuestion, after cursor: String?, limit: Int, on connection: Connection
    ) async throws -> TextAnswerPage {
        let cursors = try TextCursor(list, of: question, keys: keys)
        let start = try cursor.map(cursors.read)
        let names = try AnswerNames(keys: keys).names(
            of: question.formID, question: question.key, keyNumber: question.keyNumber)
        let long = LongAnswers(question: question, bytes: bounds.bytes, connection: connection)
        let steps: any TextSteps =
            list.shuffled
            ? ShuffledTexts(
                question: question, names: names, orders: orders, group: bounds.group,
                largestGroup: bounds.largestGroup, long: long, connection: connection)
            : NewestTexts(question: question, long: long, connection: connection)
        return try await fill(list, of: question, limit: limit, from: start, by: steps, names, cursors)
    }

    /// Continues step by step until the page is full, the list ends, or the time is up.
    private func fill(
        _ list: TextList, of question: TextQuestion, limit: Int, from start: TextPosition?, by steps: any TextSteps,
        _ names: QuestionNames, _ cursors: TextCursor
    ) async throws -> TextAnswerPage {
        let words = try search(list)
        var pace = ReadingPace(bounds, first: limit + 1)
        var (found, position): ([FoundText], TextPosition?) = ([], start)
        func page(upTo end: TextPosition?, isPartial: Bool = false) -> TextAnswerPage {
            TextAnswerPage(
                items: found.prefix(limit).map { text in
                    TextAnswer(
                        id: question.anonymous ? names.answerID(of: text.submissionID) : text.submissionID,
                        submittedAt: question.anonymous ? nil : text.submittedAt, text: text.text,
                        isHidden: list.hidden)
                }, next: end.map(cursors.write), isPartial: isPartial)
        }
        repeat {
            let step = try await steps.take(pace.size, after: position, hidden: list.hidden, until: pace.end)
            let (matching, looked) = try await only(step.texts, with: words, until: pace.end)
            found += matching
            // One more than is shown indicates that there is a next page.
            if found.count > limit { return page(upTo: found[limit - 1].position) }
            guard looked == step.texts.count else {
                position = step.texts[looked - 1].position
                break
            }
            guard let reached = step.reached else { return page(upTo: nil) }
            position = reached
            pace.step()
        } while !pace.isOver
        return found.count == limit ? page(upTo: found[limit - 1].position) : page(upTo: position, isPartial: true)
    }

    private func search(_ list: TextList) throws -> SearchWords? {
        guard let words = list.search.flatMap({ SearchWords($0) }) else { return nil }
        guard words.length <= bounds.searchLength else {
            let detail = "At most \(bounds.searchLength) UTF-16 units are allowed after normalization."
            throw Problem([Fault(.invalid, at: "?q", code: "too-long", detail)])
        }
        return words
    }

    /// Returns those that contain the words, among as many as the time allows; at least one is searched.
    private func only(
        _ texts: [FoundText], with words: SearchWords?, until end: ContinuousClock.Instant
    ) async throws -> (found: [FoundText], looked: Int) {
        guard let words, !texts.isEmpty else { return (texts, texts.count) }
        do {
            return try await searching.run {
                let found = words.found(in: texts.lazy.map(\.text), until: end)
                return (zip(texts, found).filter { $0.1 }.map(\.0), found.count)
            }
        } catch {
            throw Problem(.overloaded, "Too many text searches are running; try again later.", retryAfter: 2)
        }
    }
}

/// Limits the number of concurrent readings of texts.
///
/// A page of texts, or a search, may use the database up to the time limit, and anyone with the form's code may request
/// it. So hosts and participants each get at most a quarter of the connections, each for a short time.
final class TextPermits: Sendable {
    /// Settings of one reading: a time limit for the database, after which the response is 503, and plans that read
    /// rows in the order of an index, a chunk at a time, whatever statistics the planner has of tables that have just
    /// grown.
    static let limits: Statement = """
        SELECT set_config('statement_timeout', '2s', true), set_config('enable_seqscan', 'off', true),
            set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true),
            set_config('jit', 'off', true)
        """

    private let hosts: Semaphore
    private let others: Semaphore

    init(poolSize: Int) {
        hosts = Semaphore(poolSize / 4)
        others = Semaphore(poolSize / 4)
    }

    /// Throws 503 if no permit becomes free in time.
    func acquire(forHost isHost: Bool) async throws -> Permit {
        try await (isHost ? hosts : others).acquire(
            within: .seconds(2), else: "Too many texts are being read; try again later.", retryAfter: 2)
    }
}
