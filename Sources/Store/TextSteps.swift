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
}

/// An order of a question's texts, in which one goes on from any position by about so many submissions.
protocol TextSteps: Sendable {
    func take(_ size: Int, after position: TextPosition?, hidden: Bool) async throws -> TextStep
}

/// Newest first, by the index `submission_newest`; those of the same moment by their ids.
///
/// A submission keeps its moment for ever, so whatever is written meanwhile, nothing is skipped or repeated.
struct NewestTexts: TextSteps {
    let question: TextQuestion
    let connection: Connection

    func take(_ size: Int, after position: TextPosition?, hidden: Bool) async throws -> TextStep {
        let key = question.key
        var statement: Statement = """
            SELECT s.id, s.submitted_at, s.submitted_at,
                CASE WHEN NOT s.withdrawn AND (\(key) = ANY (coalesce(s.hidden, '{}'))) = \(hidden)
                    THEN s.answers->>\(key) END
            FROM submission s WHERE s.form_id = \(question.formID) AND s.submitted_at IS NOT NULL
            """
        if case .time(let at, let id) = position { statement += " AND (s.submitted_at, s.id) < (\(at), \(id))" }
        statement += " ORDER BY s.submitted_at DESC, s.id DESC LIMIT \(size)"
        var step = TextStep()
        let rows = try await connection.query(statement)
        for row in rows {
            let (id, exact, date, text) = try row.decode(UUID.self, ExactTime.self, Date.self, String?.self)
            let position = TextPosition.time(exact, id)
            if let text {
                step.texts.append(FoundText(submissionID: id, submittedAt: date, text: text, position: position))
            }
            step.reached = position
        }
        if rows.count < size { step.reached = nil }
        return step
    }
}
