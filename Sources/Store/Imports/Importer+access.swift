import Domain
import Foundation
import Postgres

/// The error for an import into a series that exists, but that the host may not edit, or that is in the trash. It is also
/// the error for a series that the map names by its id, but that does not exist.
public struct ImportAccessDenied: Error, Sendable, Equatable {}

/// The ids of series are derived from the host who made them by an import. The host may have lost the access to a
/// series since then, so it is checked like any other access.
extension Importer {
    /// Locks those of the series that exist, as `Access.lock` does, and then checks the host's access to them.
    func lockSeries(_ ids: [UUID], on connection: Connection) async throws {
        guard principal != nil else { return }
        try await connection.query("SELECT 1 FROM series WHERE id = ANY (\(ids)) ORDER BY id FOR NO KEY UPDATE")
        try await checkAccess(to: ids, on: connection)
    }

    func lockSeries(ofForms formIDs: [UUID], on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            SELECT DISTINCT m.series_id FROM form f JOIN meeting m ON m.id = f.meeting_id
            WHERE f.id = ANY (\(formIDs))
            """)
        try await lockSeries(rows.map { try $0.decode(UUID.self) }, on: connection)
    }

    /// Throws `ImportAccessDenied` if one of the series exists, but is in the trash or not for the host to edit.
    func checkAccess(to ids: [UUID], on connection: Connection) async throws {
        try await checkAccess(to: ids, existing: [], on: connection)
    }

    /// Checks the series of the meetings. Those that the map names by their ids have to exist.
    func checkAccess(toSeriesOf meetings: [ImportedMeeting], on connection: Connection) async throws {
        try await checkAccess(
            to: Array(Set(meetings.map(\.seriesID))),
            existing: Set(meetings.filter(\.isInExistingSeries).map(\.seriesID)), on: connection)
    }

    private func checkAccess(to ids: [UUID], existing: Set<UUID>, on connection: Connection) async throws {
        guard let principal else {
            // Only an account can add to a series that was not made by its own import.
            guard existing.isEmpty else { throw ImportAccessDenied() }
            return
        }
        let rows = try await connection.query(
            """
            SELECT s.id, \(fragment: Access.role(of: principal)), s.deleted_at IS NOT NULL
            FROM series s WHERE s.id = ANY (\(ids))
            """)
        var found: Set<UUID> = []
        for row in rows {
            let (id, role, isInTrash) = try row.decode(UUID.self, String?.self, Bool.self)
            guard !isInTrash, let access = Access(role: role), access >= .editor else { throw ImportAccessDenied() }
            found.insert(id)
        }
        guard existing.isSubset(of: found) else { throw ImportAccessDenied() }
    }
}
