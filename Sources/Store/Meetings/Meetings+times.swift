import Domain
import Foundation
import Postgres

extension Meetings {
    /// Returns the running meeting among the caller's own and shared ones, the one that started last if there are
    /// several, or else the next to start; throws 404 when there is none.
    public func current(for principal: Principal) async throws -> Meeting {
        let rows = try await pool.query(
            Meeting.select()
                + """

                WHERE m.deleted_at IS NULL AND m.ends_at > now() AND \(fragment: Access.isVisible(to: principal.account.id))
                ORDER BY m.starts_at > now(), abs(extract(epoch FROM m.starts_at - now())), m.id LIMIT 1
                """)
        return try Meeting.read(rows.found())
    }

    /// Returns the meetings that conflict with this time, for a meeting of the caller or in a series that they edit.
    public func conflicts(
        from start: Date, to end: Date, in seriesID: UUID?, for principal: Principal
    ) async throws -> [MeetingConflict] {
        var hostID = principal.account.id
        if let seriesID { hostID = try await requireSeries(seriesID, by: principal, atLeast: .editor) }
        return try await Overlaps(pool: pool).find(
            "SELECT \(start)::timestamptz AS starts_at, \(end)::timestamptz AS ends_at", of: hostID, for: principal)
    }
}
