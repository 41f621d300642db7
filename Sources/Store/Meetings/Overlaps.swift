import Domain
import Foundation
import Postgres

/// The meetings that block a meeting's time.
///
/// They are read after the database has refused a time (`meeting_no_overlap`), never to predict whether it would.
struct Overlaps: Sendable {
    /// The maximum number of conflicts reported together.
    private static let maxCount = 50

    let pool: Pool

    /// Locks the times of a host's meetings, before any are set, until the transaction ends.
    ///
    /// Otherwise two transactions that insert overlapping rows would wait for each other. The database resolves this
    /// after a second by aborting one, which is retried; of twenty transactions, some were retried for most of a minute
    /// and held every connection of the pool.
    static func takeTurn(of hostID: UUID, on connection: Connection) async throws {
        try await connection.query(
            "SELECT pg_advisory_xact_lock(hashtextextended('meeting ' || \(hostID.lowercased), 0))")
    }

    /// Returns the dated meetings of the host that block others and overlap one of `times`, rows of `starts_at` and
    /// `ends_at`.
    ///
    /// - Parameter excluded: Meetings that are being moved, which do not conflict with themselves.
    func find(
        _ times: Statement, of hostID: UUID, except excluded: [UUID] = [], for principal: Principal
    ) async throws -> [MeetingConflict] {
        let rows = try await pool.query(
            """
            SELECT m.id, m.title, m.series_id, m.starts_at, m.ends_at, \(fragment: Access.role(of: principal)) IS NOT NULL
            FROM meeting m JOIN series s ON s.id = m.series_id
            WHERE m.host_id = \(hostID) AND m.deleted_at IS NULL AND m.starts_at IS NOT NULL AND NOT m.allow_overlap
                AND NOT (m.id = ANY (\(excluded)))
                AND EXISTS (SELECT FROM (\(fragment: times)) t
                    WHERE tstzrange(m.starts_at, m.ends_at) && tstzrange(t.starts_at, t.ends_at))
            ORDER BY m.starts_at, m.id LIMIT \(Self.maxCount)
            """)
        return try rows.map { row in
            let (id, title, seriesID, startsAt, endsAt, isVisible) = try row.decode(
                UUID.self, String.self, UUID.self, Date.self, Date.self, Bool.self)
            return MeetingConflict(
                subject: isVisible ? .init(id: id, title: title, seriesID: seriesID) : nil, startsAt: startsAt,
                endsAt: endsAt)
        }
    }

    /// Runs an action; if the database finds an overlap, throws 409 with the conflicting meetings.
    func explained<Value>(
        _ times: @autoclosure () async throws -> Statement, of hostID: UUID, except excluded: [UUID] = [],
        for principal: Principal, _ action: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await action()
        } catch let error as PostgresError where error.violates("meeting_no_overlap") {
            throw Problem.overlap(
                try await find(try await times(), of: hostID, except: excluded, for: principal))
        }
    }
}
