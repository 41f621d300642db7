import Domain
import Foundation
import Postgres

/// What stands in the way of a meeting's time.
///
/// Looked up after the database refused (`meeting_no_overlap`), never to find out whether it would.
struct Overlaps: Sendable {
    /// More are not told of at once.
    private static let most = 50

    let pool: Pool

    /// Before meetings of a host get times of their own: one act at a time, until the end of its transaction.
    ///
    /// Of two that put their rows there at once each would wait for the other's end. The database ends that after a
    /// second by refusing one, which comes again: of twenty, some went on so for most of a minute, with every
    /// connection of the pool.
    static func takeTurn(of hostID: UUID, on connection: Connection) async throws {
        try await connection.query(
            "SELECT pg_advisory_xact_lock(hashtextextended('meeting ' || \(hostID.lowercased), 0))")
    }

    /// Dated meetings of the host that block others and meet one of `times`, rows of `starts_at` and `ends_at`.
    ///
    /// - Parameter excluded: meetings that are moved, which do not stand in their own way.
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
            ORDER BY m.starts_at, m.id LIMIT \(Self.most)
            """)
        return try rows.map { row in
            let (id, title, seriesID, startsAt, endsAt, isVisible) = try row.decode(
                UUID.self, String.self, UUID.self, Date.self, Date.self, Bool.self)
            return MeetingConflict(
                subject: isVisible ? .init(id: id, title: title, seriesID: seriesID) : nil, startsAt: startsAt,
                endsAt: endsAt)
        }
    }

    /// Runs an act; where the database found an overlap, throws a 409 with the meetings that are in the way.
    func explained<Value>(
        _ times: @autoclosure () async throws -> Statement, of hostID: UUID, except excluded: [UUID] = [],
        for principal: Principal, _ act: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await act()
        } catch let error as PostgresError where error.violates("meeting_no_overlap") {
            throw Problem.overlap(
                try await find(try await times(), of: hostID, except: excluded, for: principal))
        }
    }
}
