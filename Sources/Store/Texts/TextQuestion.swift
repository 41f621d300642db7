import Domain
import Foundation
import Postgres

/// A question with texts, as read in the same snapshot as its answers: a text question, or a choice that participants
/// may answer in their own words.
struct TextQuestion: Sendable {
    var formID: UUID
    var key: String
    /// Whether the texts are participants' own answers to a choice.
    var isChoice: Bool
    var anonymous: Bool
    /// Whether participants may read its answers.
    var isReleased: Bool
    /// The number of released texts, including hidden ones.
    var answered: Int
    /// The number of the form's key in the secret file.
    var keyNumber: Int
    /// The revision of the form's results, which changes with every submission.
    var revision: Int
    /// Whether the form still has its salt. False once an anonymous form is final; its submissions then have new ids.
    var hasSalt: Bool

    /// A condition: whether the texts of `submission s` may be shown.
    var isVisible: Statement { anonymous ? ShownState.isSubmissionShown(of: formID) : "true" }

    /// The text of `submission s`; NULL if it has none.
    var text: Statement {
        isChoice
            ? "(jsonb_path_query_first(s.answers->\(key), '$.other') #>> '{}')" : "(s.answers->>\(key))"
    }

    /// Reads the question with this key. Throws 404 if there is none, or if it has no texts, and 410 if the answers were
    /// deleted at the end of their retention.
    static func read(_ key: String, of meeting: Meeting, on connection: Connection) async throws -> TextQuestion {
        let formID = meeting.form.id
        let rows = try await connection.query(
            """
            SELECT q.definition->>'kind', coalesce(q.key = ANY (fs.released), false), fs.anonymous, fs.key_id,
                fs.revision, (SELECT coalesce(sum(\(fragment: ShownState.shownCount)), 0)::bigint FROM tally t
                    WHERE t.form_id = \(formID) AND t.question = \(key)
                    AND t.bucket = CASE q.definition->>'kind' WHEN 'choice' THEN 'other' ELSE '#answered' END),
                x.form_id IS NOT NULL, fs.answers_expired_at IS NOT NULL,
                coalesce((q.definition->>'other')::boolean, false)
            FROM question q JOIN form_state fs ON fs.form_id = q.form_id
                LEFT JOIN form_salt x ON x.form_id = fs.form_id
            WHERE q.form_id = \(formID) AND q.key = \(key) AND fs.form_id = \(formID)
            """)
        var columns = Columns(try rows.requireFirst())
        let kind = try columns.next(String.self)
        let (isReleased, anonymous): (Bool, Bool) = (try columns.next(), try columns.next())
        let (keyNumber, revision): (Int, Int) = (try columns.next(), try columns.next())
        let (answered, hasSalt): (Int, Bool) = (try columns.next(), try columns.next())
        let (areDeleted, allowsOther): (Bool, Bool) = (try columns.next(), try columns.next())
        // A choice may have been answered in own words before it stopped allowing that.
        guard kind == "text" || kind == "choice" && (allowsOther || answered > 0) else {
            throw Problem(.notFound, "Only a text question, or a choice that allows own answers, has texts.")
        }
        guard !areDeleted else { throw Problem(.answersDeleted) }
        return TextQuestion(
            formID: formID, key: key, isChoice: kind == "choice", anonymous: anonymous, isReleased: isReleased,
            answered: answered,
            keyNumber: keyNumber, revision: revision, hasSalt: hasSalt)
    }
}

/// Describes a list of texts: the selection from a question's texts, and their order.
struct TextList: Sendable {
    /// The search text as it was requested.
    var search: String?
    var filter = TextFilter()
    /// Whether the order reveals nothing about authors and times; otherwise the newest texts are first.
    var shuffled: Bool

    /// The text as its readers get it.
    func answer(_ found: FoundText, to question: TextQuestion, _ answerKeys: AnswerKeys) -> TextAnswer {
        TextAnswer(
            id: question.anonymous ? answerKeys.answerID(of: found.submissionID) : found.submissionID,
            submittedAt: question.anonymous ? nil : found.submittedAt, text: found.text, isHidden: filter.hidden,
            marks: found.marks)
    }
}
