import Foundation
import Postgres

/// A text that has been found for a page.
struct FoundText: Sendable {
    var submissionID: UUID
    var submittedAt: Date?
    var text: String
    var position: TextPosition
}

/// The outcome of one step of a reading, and its end position; nil if the list has ended.
struct TextStep: Sendable {
    var texts: [FoundText] = []
    var reached: TextPosition?
    /// The number of submissions processed.
    var looked = 0
}

/// An order of a question's texts that can be continued from any position, by about the given number of submissions.
protocol TextSteps: Sendable {
    /// Processes at least one submission, and fewer than requested if texts are long.
    ///
    /// - Parameter end: When to stop reading long texts.
    func take(
        _ size: Int, after position: TextPosition?, hidden: Bool, until end: ContinuousClock.Instant?
    ) async throws -> TextStep
}

/// A submission as a step reads it.
struct TextCandidate: Sendable {
    var submissionID: UUID
    var submittedAt: Date?
    /// Nil also if it is long.
    var text: String?
    /// Whether it is wanted and still has to be read.
    var isLong: Bool
    var position: TextPosition

    /// Columns of `submission s`: its text if it is wanted and short, and whether it is wanted and long.
    static func columns(_ question: TextQuestion, hidden: Bool) -> Statement {
        let wanted: Statement = """
            (NOT s.withdrawn AND (\(question.key) = ANY (coalesce(s.hidden, '{}'))) = \(hidden)
                AND \(fragment: question.isVisible))
            """
        return """
            CASE WHEN \(fragment: wanted) AND \(fragment: LongAnswers.isShort) THEN s.answers->>\(question.key) END,
            \(fragment: wanted) AND NOT \(fragment: LongAnswers.isShort)
            """
    }
}

extension TextStep {
    /// Reads the candidates in their order; ends before the first long text that exceeds the limits of size or time.
    init(_ candidates: [TextCandidate], reading long: LongAnswers, until end: ContinuousClock.Instant?) async throws {
        let ids = candidates.filter(\.isLong).map(\.submissionID)
        let answered = ids.isEmpty ? [] : try await long.texts(of: ids, until: end)
        var rest = answered[...]
        for candidate in candidates {
            var text = candidate.text
            if candidate.isLong {
                guard let next = rest.popFirst() else { return }
                text = next
            }
            if let text {
                texts.append(
                    FoundText(
                        submissionID: candidate.submissionID, submittedAt: candidate.submittedAt, text: text,
                        position: candidate.position))
            }
            reached = candidate.position
            looked += 1
        }
    }
}

/// Texts, newest first, by the index `submission_newest`; those of the same time by their ids.
///
/// A submission keeps its time forever, so nothing is skipped or repeated, whatever is written meanwhile.
struct NewestTexts: TextSteps {
    let question: TextQuestion
    let long: LongAnswers
    let connection: Connection

    func take(
        _ size: Int, after position: TextPosition?, hidden: Bool, until end: ContinuousClock.Instant?
    ) async throws -> TextStep {
        var statement: Statement = """
            SELECT s.id, s.submitted_at, s.submitted_at, \(fragment: TextCandidate.columns(question, hidden: hidden))
            FROM submission s WHERE s.form_id = \(question.formID) AND s.submitted_at IS NOT NULL
            """
        if case .time(let at, let id) = position { statement += " AND (s.submitted_at, s.id) < (\(at), \(id))" }
        statement += " ORDER BY s.submitted_at DESC, s.id DESC LIMIT \(size)"
        let candidates = try await connection.query(statement).map { row in
            let (id, exact, date, text, isLong) = try row.decode(
                UUID.self, ExactTime.self, Date.self, String?.self, Bool.self)
            return TextCandidate(
                submissionID: id, submittedAt: date, text: text, isLong: isLong, position: .time(exact, id))
        }
        var step = try await TextStep(candidates, reading: long, until: end)
        if candidates.count < size, step.looked == candidates.count { step.reached = nil }
        return step
    }
}
