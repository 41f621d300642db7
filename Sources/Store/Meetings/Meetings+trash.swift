import Domain
import Foundation
import Postgres

extension Meetings {
    /// Checks a meeting before a change, under its lock: for `If-Match`.
    public typealias Precondition = @Sendable (Meeting) throws -> Void

    /// Moves the meeting to the trash, where it blocks no time and its form accepts no answers.
    public func trash(
        _ id: UUID, by principal: Principal, if precondition: @escaping Precondition = { _ in }
    ) async throws {
        try await require(id, by: principal, atLeast: .editor)
        let code = try await pool.transaction { connection in
            let (meeting, _) = try await Self.lock(id, by: principal, on: connection)
            try precondition(meeting)
            try await connection.execute(
                "UPDATE meeting SET deleted_at = now(), revision = revision + 1 WHERE id = \(id)")
            try await Audit.record("meeting.trash", of: id, by: principal.account.id, on: connection)
            try await SeriesLifecycle.setTrashed(true, [meeting.form.id], on: connection)
            return meeting.form.code
        }
        cache.forget(code)
    }

    /// Restores the meeting; throws 404 unless it was moved to the trash within the last thirty days, and 409 with the
    /// conflicting meetings if its time has been taken.
    ///
    /// A series that is in the trash too is restored with it, which requires its owner. The other rounds stay in the
    /// trash and can be restored one by one.
    public func restore(
        _ id: UUID, by principal: Principal, if precondition: @escaping Precondition = { _ in }
    ) async throws -> Meeting {
        let trashed = try await require(id, by: principal, atLeast: .editor, inTrash: true)
        let restored = try await Overlaps(pool: pool).explained(
            RoundTimes(trashed.draft).rows, of: trashed.hostID, except: [id], for: principal
        ) {
            try await pool.transaction { connection in
                let (meeting, series) = try await Self.lock(id, by: principal, inTrash: true, on: connection)
                if series.isInTrash { try Access.check(series.role, atLeast: .owner) }
                try precondition(meeting)
                if series.isInTrash {
                    try await SeriesLifecycle.restoreAlone(
                        meeting.seriesID, by: principal.account.id, on: connection)
                }
                try await Overlaps.takeTurn(of: meeting.hostID, on: connection)
                let restored = try await connection.execute(
                    """
                    UPDATE meeting SET deleted_at = NULL, revision = revision + 1
                    WHERE id = \(id) AND deleted_at > now() - make_interval(days => \(Int32(SeriesLifecycle.daysInTrash)))
                    """)
                guard restored == 1 else { throw Problem(.notFound) }
                try await Audit.record("meeting.restore", of: id, by: principal.account.id, on: connection)
                try await SeriesLifecycle.setTrashed(false, [meeting.form.id], on: connection)
                return try await Self.read(id, on: connection)
            }
        }
        cache.forget(restored.form.code)
        return restored
    }
}
