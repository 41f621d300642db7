import Foundation
import Postgres

/// A text on its way to a page.
struct FoundText: Sendable {
    var submissionID: UUID
    var submittedAt: Date?
    var text: String
    var position: TextPosition
}

/// What one step of a reading brought, and how far it came; nil where the list has ended.
struct TextStep: Sendable {
    var texts: [FoundText] = []
    var reached: TextPosition?
    /// Submissions that were looked at.
    var looked = 0
}

/// An order of a question's texts, in which one goes on from any position by about so many submissions.
protocol TextSteps: Sendable {
    /// At least one submission is looked at, and fewer than asked for where texts are long.
    ///
    /// - Parameter end: when to stop in long texts.
    func take(
        _ size: Int, after position: TextPosition?, hidden: Bool, until end: ContinuousClock.Instant?
    ) async throws -> TextStep
}

/// A submission as a step meets it.
struct TextCandidate: Sendable {
    var submissionID: UUID
    var submittedAt: Date?
    /// Nil also where it is long.
    var text: String?
    /// It is wanted, and still to be read.
    var isLong: Bool
    var position: TextPosition

    /// Of `submission s`: its text if it is wanted and short, and whether it is wanted and long.
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
    /// Of candidates in their order: it ends before the first long text that there was no room or time for.
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

/// Newest first, by the index `submission_newest`; those of the same moment by their ids.
///
/// A submission keeps its moment for ever, so whatever is written meanwhile, nothing is skipped or repeated.
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
