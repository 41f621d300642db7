import Foundation
import Postgres

extension Store {
    /// Deletes meetings that have been in the trash for thirty days, with their answers, and returns their number.
    ///
    /// Each meeting is deleted in a separate transaction, so that no lock is held for long. Rows that are being
    /// restored are skipped.
    @discardableResult
    package func purgeMeetings() async throws -> Int {
        var purged = 0
        while try await pool.transaction({ try await Self.purgeMeeting(on: $0) }) { purged += 1 }
        return purged
    }

    /// Deletes series that have been in the trash for as long and have no rounds, in the same way.
    @discardableResult
    package func purgeSeries() async throws -> Int {
        var purged = 0
        while try await pool.transaction({ try await Self.purgeSeries(on: $0) }) { purged += 1 }
        return purged
    }

    /// Deletes one meeting; returns false if there is none to delete.
    private static func purgeMeeting(on connection: Connection) async throws -> Bool {
        let found = try await connection.query(
            """
            SELECT m.id, f.id FROM meeting m JOIN form f ON f.meeting_id = m.id
            WHERE m.deleted_at < now() - make_interval(days => \(Int32(SeriesLifecycle.daysInTrash)))
            ORDER BY m.deleted_at, m.id LIMIT 1 FOR UPDATE OF m SKIP LOCKED
            """)
        guard let (id, formID) = try found.first?.decode(UUID.self, UUID.self) else { return false }
        // Transactions that write answers wait for this row. Afterwards, they find no form.
        try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(formID) FOR UPDATE")
        let tables = [
            "submission", "tally", "timeline", "seen_state", "form_salt", "form_state", "question", "form_version",
        ]
        for table in tables {
            try await connection.execute("DELETE FROM \(identifier: table) WHERE form_id = \(formID)")
        }
        for table in ["form", "attendee", "meeting_image", "share"] {
            try await connection.execute("DELETE FROM \(identifier: table) WHERE meeting_id = \(id)")
        }
        try await connection.execute("DELETE FROM meeting WHERE id = \(id)")
        return true
    }

    /// Deletes one series; returns false if there is none to delete.
    private static func purgeSeries(on connection: Connection) async throws -> Bool {
        let found = try await connection.query(
            """
            SELECT s.id FROM series s
            WHERE s.deleted_at < now() - make_interval(days => \(Int32(SeriesLifecycle.daysInTrash)))
                AND NOT EXISTS (SELECT FROM meeting m WHERE m.series_id = s.id)
            ORDER BY s.id LIMIT 1 FOR UPDATE SKIP LOCKED
            """)
        guard let id = try found.first?.decode(UUID.self) else { return false }
        for table in ["series_host", "member", "join_code", "person"] {
            try await connection.execute("DELETE FROM \(identifier: table) WHERE series_id = \(id)")
        }
        try await connection.execute("DELETE FROM series WHERE id = \(id)")
        return true
    }
}
