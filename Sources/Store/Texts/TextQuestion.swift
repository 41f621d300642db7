import Domain
import Foundation
import Postgres

/// A text question at the time its answers are read.
struct TextQuestion: Sendable {
    var formID: UUID
    var key: String
    var anonymous: Bool
    /// Whether participants may read its answers.
    var isReleased: Bool
    /// The number of answers, including hidden ones.
    var answered: Int
    /// The number of the secret file's key.
    var keyNumber: Int
    /// The revision of the form's results, which changes with every submission.
    var revision: Int
    /// False for an anonymous form whose submissions have received new ids permanently.
    var hasSalt: Bool

    /// Whether the texts of `submission s` may be shown.
    var isVisible: Statement { anonymous ? ShownState.holds(formID) : "true" }

    /// Throws 404 unless it is a text question.
    static func read(_ key: String, of meeting: Meeting, on connection: Connection) async throws -> TextQuestion {
        let formID = meeting.form.id
        let rows = try await connection.query(
            """
            SELECT q.definition->>'kind', coalesce(q.key = ANY (fs.released), false), fs.anonymous, fs.key_id,
                fs.revision, (SELECT coalesce(sum(\(fragment: ShownState.seen)), 0)::bigint FROM tally t
                    WHERE t.form_id = \(formID) AND t.question = \(key) AND t.bucket = '#answered'), x.form_id IS NOT NULL
            FROM question q JOIN form_state fs ON fs.form_id = q.form_id
                LEFT JOIN form_salt x ON x.form_id = fs.form_id
            WHERE q.form_id = \(formID) AND q.key = \(key) AND fs.form_id = \(formID)
            """)
        var columns = Columns(try rows.found())
        guard try columns.next(String.self) == "text" else {
            throw Problem(.notFound, "Only a text question has text answers.")
        }
        let (isReleased, anonymous): (Bool, Bool) = (try columns.next(), try columns.next())
        let (keyNumber, revision): (Int, Int) = (try columns.next(), try columns.next())
        return TextQuestion(
            formID: formID, key: key, anonymous: anonymous, isReleased: isReleased, answered: try columns.next(),
            keyNumber: keyNumber, revision: revision, hasSalt: try columns.next())
    }
}

/// Which of a question's texts are requested, and in which order.
struct TextList: Sendable {
    /// The search text as it was requested.
    var search: String?
    var hidden = false
    /// In an order that reveals nothing, or the newest first.
    var shuffled: Bool
}
