import Domain
import Foundation
import Postgres

/// Decides when individual answers of an anonymous form may be read: only after the form has closed and is settled.
enum AnonymousRelease {
    /// Throws 410 if the answers were deleted. Throws 409 with the reason if the form is anonymous and its answers
    /// could still reveal who gave them. Reads the form's state in the connection's snapshot, because it may have
    /// changed since the request arrived.
    static func require(_ meetingID: UUID, on connection: Connection) async throws {
        let rows = try await connection.query(
            Meeting.select() + "\nWHERE m.id = \(meetingID) AND m.deleted_at IS NULL")
        let meeting = try Meeting.read(rows.requireFirst())
        try meeting.form.requireAnswers()
        guard meeting.form.anonymous else { return }
        let state = meeting.form.state(at: meeting.now)
        guard state == .closed || state == .final else {
            throw Problem(
                .resultsWithheld, "Individual answers of an anonymous form can be read only after it has closed.")
        }
        guard let results = try await Results.read([meeting.form.id], on: connection)[meeting.form.id] else {
            throw Problem(.notFound)
        }
        guard !results.isSettled else { return }
        let minimum = results.withheld?.minimum ?? FormDefinition(anonymous: true).minimumGroup
        throw Problem(
            .resultsWithheld,
            "The form is closed, but fewer than \(minimum) people (its minimum group) have answered since its results "
                + "were last shown, so individual answers are withheld.")
    }
}
