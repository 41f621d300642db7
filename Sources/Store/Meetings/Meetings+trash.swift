import Domain
import Foundation
import Postgres

extension Meetings {
    /// Looks at a meeting before an act changes it, under its lock: for `If-Match`.
    public typealias Precondition = @Sendable (Meeting) throws -> Void

    /// Into the trash, where it blocks nobody and its form takes nothing.
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

    /// Out of the trash; 404 unless it went there within the last thirty days. Where its time was taken meanwhile, 409
    /// with what took it.
    ///
    /// A series that is in there too comes back with it, which takes its owner; its other rounds stay where they are,
    /// and can be brought back one by one.
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
