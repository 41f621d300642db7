import Domain
import Foundation
import Postgres
import StrictJSON

extension Submissions {
    /// Removes a submission, such as spam. A tombstone remains, as after a withdrawal, so that the sender can't submit
    /// to a once-only form again. Repeating the call changes nothing.
    ///
    /// Throws 409 for an anonymous form, because the decrease of its counts would reveal the person's other answers.
    public func remove(_ id: UUID, from meeting: Meeting, by accountID: UUID) async throws {
        let formID = meeting.form.id
        try await pool.transaction(inTurn: false) { connection in
            try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(formID) FOR UPDATE")
            let rows = try await connection.query(
                """
                SELECT trashed, anonymous, state IN ('finalising', 'final'), clock_timestamp()
                FROM form_state WHERE form_id = \(formID)
                """)
            let (isTrashed, isAnonymous, isFinal, now) = try rows.requireFirst().decode(
                Bool.self, Bool.self, Bool.self, Date.self)
            guard !isTrashed else { throw Problem(.notFound) }
            guard !isAnonymous else {
                throw Problem(.anonymousForm, "Individual submissions of an anonymous form cannot be removed.")
            }
            guard !isFinal else { throw Problem(.formFinal) }
            let old: Submission
            do {
                old = try await Self.read(connection.query(Self.select(formID, id)))
            } catch let problem as Problem where problem.code == .withdrawn {
                return
            }
            try await self.replaceWithTombstone(old, of: formID, anonymous: false, at: now, on: connection)
            try await Self.releaseRemaining(of: formID, on: connection)
            try await Audit.record(
                "submission.delete", of: id, by: accountID,
                detail: .object([.init("meeting", .string(meeting.id.lowercased))]), on: connection)
        }
    }

    /// Releases the current counts of each question set of a form with a minimum group. If a set has fewer submissions
    /// than the minimum group, its counts are withheld.
    ///
    /// Without this release, the removed submission would be shown until enough new submissions arrive, and on a closed
    /// form permanently. It is unknown whether the released submissions included the removed one, so withheld
    /// submissions are released too.
    private static func releaseRemaining(of formID: UUID, on connection: Connection) async throws {
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
