import Domain
import Foundation
import Postgres
import StrictJSON

/// Permanently deletes meetings and series whose time in the trash is over.
///
/// Each transaction deletes one meeting or series, or a bounded number of a meeting's answers, so that no lock is held
/// for long. Rows that are being restored are skipped. A later run continues where an interrupted run stopped.
struct TrashPurge: Sendable {
    private enum Outcome {
        case nothing
        /// Some of the meeting's answers were deleted.
        case partly
        case deleted
    }

    /// The number of answers that one transaction deletes.
    static let batchSize = 2_000

    let pool: Pool
    var batch = Self.batchSize

    /// Deletes meetings with their answers, and returns their number.
    func purgeMeetings() async throws -> Int {
        var purged = 0
        while true {
            switch try await pool.transaction({ try await purgeMeeting(on: $0) }) {
            case .nothing: return purged
            case .partly: continue
            case .deleted: purged += 1
            }
        }
    }

    /// Deletes series that have no rounds, and returns their number.
    func purgeSeries() async throws -> Int {
        var purged = 0
        while try await pool.transaction({ try await Self.purgeSeries(on: $0) }) { purged += 1 }
        return purged
    }

    private func purgeMeeting(on connection: Connection) async throws -> Outcome {
        let found = try await connection.query(
            """
            SELECT m.id, f.id, m.host_id FROM meeting m JOIN form f ON f.meeting_id = m.id
            WHERE m.purges_at <= now() ORDER BY m.purges_at, m.id LIMIT 1 FOR UPDATE OF m SKIP LOCKED
            """)
        guard let (id, formID, hostID) = try found.first?.decode(UUID.self, UUID.self, UUID.self) else {
            return .nothing
        }
        // Transactions that write answers wait for this row. Afterwards, they find no form.
        try await connection.query("SELECT 1 FROM form_state WHERE form_id = \(formID) FOR UPDATE")
        let last = try await connection.query(
            "SELECT id FROM submission WHERE form_id = \(formID) ORDER BY id LIMIT 1 OFFSET \(batch - 1)")
        if let last = try last.first?.decode(UUID.self) {
            try await connection.execute("DELETE FROM submission WHERE form_id = \(formID) AND id <= \(last)")
            return .partly
        }
        let tables = [
            "submission", "tally", "timeline", "seen_state", "form_salt", "form_state", "question", "form_version",
        ]
        for table in tables {
            try await connection.execute("DELETE FROM \(identifier: table) WHERE form_id = \(formID)")
        }
        for table in ["form", "attendee", "meeting_image", "meeting_decisions", "share"] {
            try await connection.execute("DELETE FROM \(identifier: table) WHERE meeting_id = \(id)")
        }
        try await connection.execute("DELETE FROM meeting WHERE id = \(id)")
        try await Audit.record("meeting.delete", of: id, by: hostID, detail: Self.detail, on: connection)
        return .deleted
    }

    /// Deletes one series; returns false if there is none to delete.
    private static func purgeSeries(on connection: Connection) async throws -> Bool {
        let found = try await connection.query(
            """
            SELECT s.id, s.owner_id FROM series s
            WHERE s.purges_at <= now() AND NOT EXISTS (SELECT FROM meeting m WHERE m.series_id = s.id)
            ORDER BY s.id LIMIT 1 FOR UPDATE SKIP LOCKED
            """)
        guard let (id, ownerID) = try found.first?.decode(UUID.self, UUID.self) else { return false }
        for table in ["series_host", "member", "join_code", "person"] {
            try await connection.execute("DELETE FROM \(identifier: table) WHERE series_id = \(id)")
        }
        try await connection.execute("DELETE FROM series WHERE id = \(id)")
        try await Audit.record("series.delete", of: id, by: ownerID, detail: detail, on: connection)
        return true
    }

    private static let detail = JSONValue.object([.init("automatic", .bool(true))])
}

extension Store {
    private var trashPurge: TrashPurge { TrashPurge(pool: pool) }

    /// Permanently deletes meetings whose time in the trash is over, and returns their number.
    @discardableResult
    package func purgeMeetings() async throws -> Int { try await trashPurge.purgeMeetings() }

    /// Permanently deletes series whose time in the trash is over and that have no rounds left, and returns their
    /// number.
    @discardableResult
    package func purgeSeries() async throws -> Int { try await trashPurge.purgeSeries() }
}
