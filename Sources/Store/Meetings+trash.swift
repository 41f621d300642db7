import Domain
import Foundation
import Postgres

extension Meetings {
    /// Into the trash, where it blocks nobody and its form takes nothing.
    public func trash(_ id: UUID, by principal: Principal) async throws {
        let meeting = try await require(id, by: principal, atLeast: .editor)
        try await pool.transaction { connection in
            let trashed = try await connection.execute(
                """
                UPDATE meeting SET deleted_at = now(), revision = revision + 1
                WHERE id = \(id) AND deleted_at IS NULL
                """)
            guard trashed == 1 else { return }
            try await Audit.record("meeting.trash", of: id, by: principal.account.id, on: connection)
            try await connection.execute(
                "UPDATE form_state SET trashed = true, revision = revision + 1 WHERE form_id = \(meeting.form.id)")
        }
        cache.forget(meeting.form.code)
    }

    /// Out of the trash, with its series if that is in there too; 404 unless it went there within the last thirty days.
    /// Where its time was taken meanwhile, 409 with what took it.
    public func restore(_ id: UUID, by principal: Principal) async throws -> Meeting {
        let trashed = try await require(id, by: principal, atLeast: .editor, inTrash: true)
        let restored = try await Overlaps(pool: pool).explained(
            RoundTimes(trashed.draft).rows, of: trashed.hostID, except: [id], for: principal
        ) {
            try await pool.transaction { connection in
                try await connection.execute(
                    """
                    UPDATE series SET deleted_at = NULL, revision = revision + 1
                    WHERE id = \(trashed.seriesID) AND deleted_at IS NOT NULL
                    """)
                let restored = try await connection.execute(
                    """
                    UPDATE meeting SET deleted_at = NULL, revision = revision + 1
                    WHERE id = \(id) AND deleted_at > now() - make_interval(days => \(Int32(Succession.daysInTrash)))
                    """)
                guard restored == 1 else { throw Problem(.notFound) }
                try await Audit.record("meeting.restore", of: id, by: principal.account.id, on: connection)
                try await connection.execute(
                    """
                    UPDATE form_state SET trashed = false, revision = revision + 1
                    WHERE form_id = \(trashed.form.id)
                    """)
                return try await Self.read(id, on: connection)
            }
        }
        cache.forget(restored.form.code)
        return restored
    }
}
