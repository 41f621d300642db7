import Domain
import Foundation
import Postgres

/// A series that this transaction has locked against other actions, and the caller's role in it.
struct LockedSeries: Sendable {
    var role: String?
    var revision: Int
    var isInTrash: Bool
}

extension Access {
    /// Locks the series against other actions on it, then checks the caller's role. Rounds, members and co-hosts are
    /// added and removed under the same lock; meetings, forms and their states are locked after it, in that order.
    ///
    /// The role is read in a statement of its own: a statement that has waited for the lock sees everything but the
    /// locked row as it was before the wait, when a co-host removed in the meantime still was one.
    ///
    /// - Parameter inTrash: Whether the series must be in the trash (true) or outside it (false); nil allows both.
    @discardableResult
    static func lock(
        _ seriesID: UUID, by principal: Principal, atLeast access: Access, inTrash: Bool? = false,
        on connection: Connection
    ) async throws -> LockedSeries {
        try await connection.query("SELECT 1 FROM series WHERE id = \(seriesID) FOR NO KEY UPDATE")
        let rows = try await connection.query(
            """
            SELECT \(fragment: role(of: principal)), s.revision, s.deleted_at IS NOT NULL
            FROM series s WHERE s.id = \(seriesID)
            """)
        let (role, revision, isInTrash) = try rows.found().decode(String?.self, Int.self, Bool.self)
        try check(role, atLeast: access)
        guard inTrash == nil || isInTrash == inTrash else { throw Problem(.notFound) }
        return LockedSeries(role: role, revision: revision, isInTrash: isInTrash)
    }
}
