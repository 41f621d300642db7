import Domain
import Foundation
import Postgres
import StrictJSON

extension Submissions {
    /// Takes spam away: a tombstone stays, as of a withdrawal, so that on a once-only form its sender cannot send again.
    /// Of a submission that is gone already it changes nothing.
    ///
    /// Throws 409 for an anonymous form: what the counts lose would tell what the same person answered elsewhere in it.
    public func remove(_ id: UUID, from meeting: Meeting, by accountID: UUID) async throws {
        let formID = meeting.form.id
        try await pool.transaction { connection in
            try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(formID) FOR UPDATE")
            let rows = try await connection.query(
                """
                SELECT trashed, anonymous, state IN ('finalising', 'final'), clock_timestamp()
                FROM form_state WHERE form_id = \(formID)
                """)
            let (trashed, anonymous, final, now) = try rows.found().decode(
                Bool.self, Bool.self, Bool.self, Date.self)
            guard !trashed else { throw Problem(.notFound) }
            guard !anonymous else {
                throw Problem(.anonymousForm, "Single submissions of an anonymous form cannot be named.")
            }
            guard !final else { throw Problem(.formFinal) }
            let old: Submission
            do {
                old = try await self.stored(id, formID, on: connection.query(Self.select(formID, id)))
            } catch let problem as Problem where problem.code == .withdrawn {
                return
            }
            try await self.empty(old, of: formID, anonymous: false, at: now, on: connection)
            try await Self.showWhatIsLeft(of: formID, on: connection)
            try await Audit.record(
                "submission.delete", of: id, by: accountID,
                detail: .object([.init("meeting", .string(meeting.id.lowercased))]), on: connection)
        }
    }

    /// Of a form with a minimum group: what is shown of a question set becomes what there is, or nothing where that is
    /// less than a group.
    ///
    /// Else the spam would be shown until enough new submissions came, and on a closed form for good. Which of those
    /// that are shown it was nobody can tell any more, so that those that were held back come out with this.
    private static func showWhatIsLeft(of formID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE tally AS t SET shown = CASE WHEN g.count >= fs.minimum_group THEN t.count ELSE 0 END,
                pending = CASE WHEN g.count >= fs.minimum_group THEN t.count ELSE 0 END
            FROM form_state fs JOIN tally g ON g.form_id = fs.form_id
            WHERE fs.form_id = \(formID) AND fs.minimum_group > 1
                AND g.question = '' AND g.bucket = '#submissions'
                AND t.form_id = \(formID) AND t.question_set = g.question_set
            """)
    }
}
