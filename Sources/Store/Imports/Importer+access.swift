import Domain
import Foundation
import Postgres

/// The error for an import into a series that exists, but that the host may not edit, or that is in the trash.
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
        guard let principal else { return }
        let rows = try await connection.query(
            """
            SELECT \(fragment: Access.role(of: principal)), s.deleted_at IS NOT NULL
            FROM series s WHERE s.id = ANY (\(ids))
            """)
        for row in rows {
            let (role, isInTrash) = try row.decode(String?.self, Bool.self)
            guard !isInTrash, let access = Access(role: role), access >= .editor else { throw ImportAccessDenied() }
        }
    }
}
