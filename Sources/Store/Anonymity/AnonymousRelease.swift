import Domain
import Foundation
import Postgres

/// Decides when single answers of an anonymous form may be read: once it is closed and settled.
enum AnonymousRelease {
    /// Throws 409, with the reason, while they could reveal who gave them. Decided by the connection's snapshot, not by
    /// the time of the request.
    static func require(_ meetingID: UUID, on connection: Connection) async throws {
        let rows = try await connection.query(
            Meeting.select() + "\nWHERE m.id = \(meetingID) AND m.deleted_at IS NULL")
        let meeting = try Meeting.read(rows.found())
        guard meeting.form.anonymous else { return }
        let state = meeting.form.state(at: meeting.now)
        guard state == .closed || state == .final else {
            throw Problem(.resultsWithheld, "Single answers of an anonymous form can be read once it is closed.")
        }
        guard let results = try await Results.read([meeting.form.id], on: connection)[meeting.form.id] else {
            throw Problem(.notFound)
        }
        guard !results.isSettled else { return }
        let minimum = results.withheld?.minimum ?? FormDefinition(anonymous: true).minimumGroup
        throw Problem(
            .resultsWithheld,
            "The form is closed, but what is new since its results were last shown is of fewer than \(minimum) people, "
                + "its minimum group: its single answers are withheld.")
    }
}
