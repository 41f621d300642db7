import Foundation
import Postgres

/// A text that has been found for a page.
struct FoundText: Sendable {
    var submissionID: UUID
    var submittedAt: Date?
    var text: String
    var marks: TextMarks
    var position: TextPosition
}

/// The texts found in one step of a reading.
struct TextStep: Sendable {
    var texts: [FoundText] = []
    /// The position at which the next step continues; nil if the list has ended.
    var reached: TextPosition?
    /// The number of submissions processed.
    var processed = 0
}

/// Reads a question's texts in one order, step by step, starting at any position.
protocol TextSteps: Sendable {
    /// Processes at most `size` submissions after the position, or fewer if texts are long.
    ///
    /// - Parameters:
    ///   - position: Nil for the beginning of the list.
    ///   - filter: The texts to return.
    ///   - end: When to stop reading long texts.
    func take(
        _ size: Int, after position: TextPosition?, of filter: TextFilter, until end: ContinuousClock.Instant?
    ) async throws -> TextStep
}

/// A submission that may contain a text of the list.
struct TextCandidate: Sendable {
    var submissionID: UUID
    var submittedAt: Date?
    /// Nil if the list does not contain the submission's text, or if the submission is long.
    var text: String?
    /// Whether the submission is long, so that its text has to be read separately. False if the list does not contain
    /// the text.
    var isLong: Bool
    var marks: TextMarks
    var position: TextPosition

    /// Three columns of `submission s`: `text`, `isLong` and `marks`.
    static func columns(_ question: TextQuestion, _ filter: TextFilter) -> Statement {
        let wanted = filter.contains(question)
        return """
            CASE WHEN \(fragment: wanted) AND \(fragment: LongAnswers.isShort) THEN \(fragment: question.text) END,
            \(fragment: wanted) AND NOT \(fragment: LongAnswers.isShort), s.marks->>\(question.key)
            """
    }
}

extension TextStep {
    /// Processes the candidates in their order. Ends before the first long text that was not read because of the limits
    /// for size and time.
    init(_ candidates: [TextCandidate], reading long: LongAnswers, until end: ContinuousClock.Instant?) async throws {
        let ids = candidates.filter(\.isLong).map(\.submissionID)
        let longTexts = ids.isEmpty ? [] : try await long.texts(of: ids, until: end)
        var remaining = longTexts[...]
        for candidate in candidates {
            var text = candidate.text
            if candidate.isLong {
                guard let next = remaining.popFirst() else { return }
                text = next
            }
            if let text {
                texts.append(
                    FoundText(
                        submissionID: candidate.submissionID, submittedAt: candidate.submittedAt, text: text,
                        marks: candidate.marks,
                        position: candidate.position))
            }
            reached = candidate.position
            processed += 1
        }
    }
}

/// Texts, the newest first, read with the index `submission_newest`. Texts with the same time are sorted by id.
///
/// The time of a submission never changes. Therefore nothing is skipped or repeated if submissions arrive while the
/// list is read.
struct NewestTexts: TextSteps {
    let question: TextQuestion
    let long: LongAnswers
    let connection: Connection

    func take(
        _ size: Int, after position: TextPosition?, of filter: TextFilter, until end: ContinuousClock.Instant?
    ) async throws -> TextStep {
        var statement: Statement = """
            SELECT s.id, s.submitted_at, s.submitted_at, \(fragment: TextCandidate.columns(question, filter))
            FROM submission s WHERE s.form_id = \(question.formID) AND s.submitted_at IS NOT NULL
            """
        if case .time(let at, let id) = position { statement += " AND (s.submitted_at, s.id) < (\(at), \(id))" }
        statement += " ORDER BY s.submitted_at DESC, s.id DESC LIMIT \(size)"
        let candidates = try await connection.query(statement).map { row in
            let (id, exact, date, text, isLong, marks) = try row.decode(
                UUID.self, ExactTime.self, Date.self, String?.self, Bool.self, String?.self)
            return TextCandidate(
                submissionID: id, submittedAt: date, text: text, isLong: isLong, marks: try TextMarks(stored: marks),
                position: .time(exact, id))
        }
        var step = try await TextStep(candidates, reading: long, until: end)
        if candidates.count < size, step.processed == candidates.count { step.reached = nil }
        return step
    }
}
