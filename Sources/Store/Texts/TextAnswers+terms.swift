import BlockingWork
import Domain
import Foundation
import Postgres
import Words

/// The most frequent words of a question's answers.
public struct TermList: Sendable {
    public struct Item: Sendable {
        public var term: String
        /// The number of occurrences.
        public var count: Int
        /// The number of answers, of those read, that contain the term.
        public var answers: Int
    }

    /// The number of answers read.
    public var answers: Int
    /// The number of answers, including hidden ones.
    public var total: Int
    /// Whether a limit ended the reading, so that some answers may not have been read.
    public var isSampled: Bool
    /// Sorted by the number of answers, descending, then by code points.
    public var items: [Item]
}

extension TextAnswers {
    /// The maximum number of terms of a question.
    public static let maxTerms = 200

    /// Returns the most frequent words of a text question's newest answers: at most 10,000 answers with at most a
    /// million characters in total. For an anonymous form, returns the words of a random sample that is always the
    /// same, and throws 409 while its texts may not be read. Throws 503 if other words are being counted for the account
    /// for too long, or for too many accounts.
    ///
    /// - Parameter accountID: The requesting account; nil if there is none.
    public func terms(
        of meeting: Meeting, question key: String, limit: Int, keepingStopWords: Bool = false,
        for accountID: UUID? = nil
    ) async throws -> TermList {
        let lease = try await countPermits.acquire(
            for: accountID, within: .seconds(5),
            else: "The words of other questions are being counted for you; try again later.", retryAfter: 2)
        defer { withExtendedLifetime(lease) {} }
        let read = try await reading(for: .host) { connection -> TermReading in
            let question = try await TextQuestion.read(key, of: meeting, on: connection)
            try await Self.requireVisible(in: meeting, on: connection)
            if let known = lists.find(question, keepingStopWords) { return .known(known) }
            return .sample(try await sample(of: question, on: connection), question)
        }
        let list: TermList
        switch read {
        case .known(let known): list = known
        case .sample(let sample, let question):
            list = try await count(sample, of: question, keepingStopWords, for: accountID)
            lists.insert(list, of: question, keepingStopWords)
        }
        var shown = list
        shown.items = Array(list.items.prefix(limit))
        return shown
    }

    private func count(
        _ sample: TextSample, of question: TextQuestion, _ keepsStopWords: Bool, for accountID: UUID?
    ) async throws -> TermList {
        let terms: [Term]
        do {
            terms = try await counting.run(for: accountID?.uuidString ?? "") {
                var count = TermCount(keepingStopWords: keepsStopWords)
                count.add(sample.texts.map(\.text))
                return count.terms(limit: Self.maxTerms)
            }
        } catch {
            throw Problem(.overloaded, "Too many word counts are running; try again later.", retryAfter: 2)
        }
        return TermList(
            answers: sample.texts.count, total: question.answered, isSampled: sample.isTruncated,
            items: terms.map { TermList.Item(term: $0.text, count: $0.count, answers: $0.answers) })
    }

    /// Returns the newest texts or, for an anonymous form, the first in the order of their random ids, up to the
    /// limits. The limits are counts, not times, so that the same texts always yield the same words.
    ///
    /// - Parameter filter: The texts to read.
    func sample(
        of question: TextQuestion, filter: TextFilter = TextFilter(), on connection: Connection
    ) async throws -> TextSample {
        let long = LongAnswers(question: question, bytes: bounds.longTextBytes, connection: connection)
        let steps: any TextSteps =
            question.anonymous
            ? TextsByID(question: question, long: long, connection: connection)
            : NewestTexts(question: question, long: long, connection: connection)
        var (sample, characters, remaining) = (TextSample(), 0, bounds.termSubmissions)
        var (pace, position): (ReadingPace, TextPosition?) = (ReadingPace(bounds), nil)
        while true {
            let step = try await steps.take(min(pace.size, remaining), after: position, of: filter, until: nil)
            for found in step.texts {
                characters += found.text.utf16.count
                guard sample.texts.count < bounds.termAnswers, characters <= bounds.termCharacters else {
                    sample.isTruncated = true
                    return sample
                }
                sample.texts.append(found)
            }
            guard let reached = step.reached else { return sample }
            remaining -= step.processed
            guard remaining > 0 else {
                // Checks whether there are more submissions.
                sample.isTruncated = try await steps.take(1, after: reached, of: filter, until: nil).processed > 0
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

/// The texts that a count or a comparison reads, in the order of their list.
struct TextSample: Sendable {
    var texts: [FoundText] = []
    /// Whether a limit was reached before all submissions were read.
    var isTruncated = false
}

/// Texts in the order of the submissions' ids, which are effectively random. For output that does not reveal the order,
/// such as counts of words.
struct TextsByID: TextSteps {
    let question: TextQuestion
    let long: LongAnswers
    let connection: Connection

    func take(
        _ size: Int, after position: TextPosition?, of filter: TextFilter, until end: ContinuousClock.Instant?
    ) async throws -> TextStep {
        var last = UUID(number: 0)
        if case .shuffled(let id?, _, _, _) = position { last = UUID(number: id) }
        let rows = try await connection.query(
            """
            SELECT s.id, \(fragment: TextCandidate.columns(question, filter))
            FROM submission s WHERE s.form_id = \(question.formID) AND s.id > \(last) ORDER BY s.id LIMIT \(size)
            """)
        let candidates = try rows.map { row in
            let (id, text, isLong, marks) = try row.decode(UUID.self, String?.self, Bool.self, String?.self)
            return TextCandidate(
                submissionID: id, text: text, isLong: isLong, marks: try TextMarks(stored: marks),
                position: .shuffled(id.number, group: 0, bits: 0, since: question.revision))
        }
        var step = try await TextStep(candidates, reading: long, until: end)
        if candidates.count < size, step.processed == candidates.count { step.reached = nil }
        return step
    }
}
