import Domain
import Foundation
import Postgres

/// A series that this transaction holds against other acts on it, as its caller finds it.
struct LockedSeries: Sendable {
    var role: String?
    var revision: Int
    var isInTrash: Bool
}

extension Access {
    /// Locks the series against other acts on it, then judges the caller's place. Rounds, members and co-hosts are added
    /// and removed under the same lock; meetings, forms and their states are locked after it, in that order.
    ///
    /// The place is read in a statement of its own: one that waited for the lock sees all but the locked row as it was
    /// before the wait, when a co-host who was removed meanwhile still was one.
    ///
    /// - Parameter inTrash: whether the series must be there (or else not); nil for either.
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
