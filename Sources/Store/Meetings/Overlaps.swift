import Domain
import Foundation
import Postgres

/// Finds the meetings with which a meeting conflicts.
///
/// The constraint `meeting_no_overlap` decides whether a time is free. The conflicting meetings are read only to
/// explain a refusal, or if a client asks for them.
struct Overlaps: Sendable {
    /// The maximum number of conflicts reported together.
    private static let maxCount = 50

    let pool: Pool

    /// Locks the times of a host's meetings until the transaction ends. Call this method before times are set.
    ///
    /// Without the lock, two transactions that insert overlapping rows would wait for each other. PostgreSQL detects
    /// the deadlock after a second and aborts one of them, which is then retried. With twenty concurrent transactions,
    /// retries took most of a minute and used all connections of the pool.
    static func lockTimes(of hostID: UUID, on connection: Connection) async throws {
        try await connection.query(
            "SELECT pg_advisory_xact_lock(hashtextextended('meeting ' || \(hostID.lowercased), 0))")
    }

    /// Returns the meetings of the host that do not allow overlaps and that overlap with one of the times.
    ///
    /// - Parameters:
    ///   - times: A query with the columns `starts_at` and `ends_at`.
    ///   - excluded: Meetings that are being moved. They do not conflict with themselves.
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

    /// Runs an action. If it violates `meeting_no_overlap`, throws 409 with the conflicting meetings.
    ///
    /// - Parameters:
    ///   - times: The times that the action sets, as for `find`. Evaluated only after a violation.
    ///   - hostID: The host of the meetings.
    func reportingConflicts<Value>(
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
