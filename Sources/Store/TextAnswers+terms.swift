import BlockingWork
import Domain
import Foundation
import Postgres
import Synchronization
import Words

/// The words of a question's answers.
public struct TermList: Sendable {
    public struct Item: Sendable {
        public var term: String
        /// How often it occurs.
        public var count: Int
        /// In how many of the answers that were read.
        public var answers: Int
    }

    /// Answers that were read.
    public var answers: Int
    /// Answers there are, hidden ones too.
    public var of: Int
    /// Not all were read that could have been.
    public var isSampled: Bool
    /// Those in most answers first, of equals by code points.
    public var items: [Item]
}

extension TextAnswers {
    /// As many terms as are kept of a question.
    public static let mostTerms = 200

    /// The words of a text question's newest answers, at most 10,000 answers of a million characters in all; of an
    /// anonymous form of a random part that is always the same, and only when its texts may be read.
    public func terms(
        of meeting: Meeting, question key: String, limit: Int, keepingStopWords: Bool = false
    ) async throws -> TermList {
        let read = try await reading(forHost: true) { connection -> TermReading in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            try await Self.requireVisible(in: meeting, on: connection)
            if let known = lists.find(question, keepingStopWords) { return .known(known) }
            return .sample(try await sample(of: question, on: connection), question)
        }
        let list: TermList
        switch read {
        case .known(let known): list = known
        case .sample(let sample, let question):
            list = try await count(sample, of: question, keepingStopWords)
            lists.keep(list, of: question, keepingStopWords)
        }
        var shown = list
        shown.items = Array(list.items.prefix(limit))
        return shown
    }

    private func count(
        _ sample: TextSample, of question: TextQuestion, _ keepsStopWords: Bool
    ) async throws -> TermList {
        let terms: [Term]
        do {
            terms = try await counting.run {
                var count = TermCount(keepingStopWords: keepsStopWords)
                count.add(sample.texts)
                return count.terms(limit: Self.mostTerms)
            }
        } catch {
            throw Problem(.overloaded, "Many count words at the moment; try again later.", retryAfter: 2)
        }
        return TermList(
            answers: sample.texts.count, of: question.answered, isSampled: sample.isPart,
            items: terms.map { TermList.Item(term: $0.text, count: $0.count, answers: $0.answers) })
    }

    /// The newest texts, or of an anonymous form the first by their random ids: as many as the bounds allow, which are
    /// numbers and no times, so that the same texts give the same words.
    private func sample(of question: TextQuestion, on connection: Connection) async throws -> TextSample {
        let steps: any TextSteps =
            question.anonymous
            ? TextsByID(question: question, connection: connection)
            : NewestTexts(question: question, connection: connection)
        var (sample, characters, rest) = (TextSample(), 0, bounds.termSubmissions)
        var (pace, position): (ReadingPace, TextPosition?) = (ReadingPace(bounds), nil)
        while true {
            let size = min(pace.size, rest)
            let step = try await steps.take(size, after: position, hidden: false)
            for found in step.texts {
                characters += found.text.utf16.count
                guard sample.texts.count < bounds.termAnswers, characters <= bounds.termCharacters else {
                    sample.isPart = true
                    return sample
                }
                sample.texts.append(found.text)
            }
            guard let reached = step.reached else { return sample }
            rest -= size
            guard rest > 0 else {
                // Whether there is one more.
                sample.isPart = try await steps.take(1, after: reached, hidden: false).reached != nil
                return sample
            }
            position = reached
            pace.step()
        }
    }
}

private enum TermReading: Sendable {
    case known(TermList)
    case sample(TextSample, TextQuestion)
}

private struct TextSample: Sendable {
    var texts: [String] = []
    /// There were more.
    var isPart = false
}

/// In the order of submissions' ids, which are as good as random; for what does not show an order.
private struct TextsByID: TextSteps {
    let question: TextQuestion
    let connection: Connection

    func take(_ size: Int, after position: TextPosition?, hidden: Bool) async throws -> TextStep {
        let key = question.key
        var last = UUID(number: 0)
        if case .place(let id?, _, _, _) = position { last = UUID(number: id) }
        let rows = try await connection.query(
            """
            SELECT s.id, CASE WHEN NOT s.withdrawn AND (\(key) = ANY (coalesce(s.hidden, '{}'))) = \(hidden)
                    AND \(fragment: question.isTold)
                THEN s.answers->>\(key) END
            FROM submission s WHERE s.form_id = \(question.formID) AND s.id > \(last) ORDER BY s.id LIMIT \(size)
            """)
        var step = TextStep()
        for row in rows {
            let (id, text) = try row.decode(UUID.self, String?.self)
            let position = TextPosition.place(id.number, group: 0, bits: 0, since: question.revision)
            if let text { step.texts.append(FoundText(submissionID: id, text: text, position: position)) }
            step.reached = position
        }
        if rows.count < size { step.reached = nil }
        return step
    }
}

/// The lists of words that were counted last; a revision's list never changes.
final class TermLists: Sendable {
    private struct Key: Hashable {
        var formID: UUID
        var question: String
        var revision: Int
        var keepsStopWords: Bool
    }

    private static let room = 100
    private let kept = Mutex<[Key: TermList]>([:])

    func find(_ question: TextQuestion, _ keepsStopWords: Bool) -> TermList? {
        kept.withLock { $0[Self.key(question, keepsStopWords)] }
    }

    /// A full memory is emptied.
    func keep(_ list: TermList, of question: TextQuestion, _ keepsStopWords: Bool) {
        kept.withLock { kept in
            if kept.count >= Self.room { kept = [:] }
            kept[Self.key(question, keepsStopWords)] = list
        }
    }

    private static func key(_ question: TextQuestion, _ keepsStopWords: Bool) -> Key {
        Key(
            formID: question.formID, question: question.key, revision: question.revision,
            keepsStopWords: keepsStopWords)
    }
}
