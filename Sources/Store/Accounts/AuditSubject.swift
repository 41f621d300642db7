import Domain
import Foundation
import Postgres
import StrictJSON

/// The meeting, series, account or invitation that an action concerned, with its current name.
public struct AuditSubject: Sendable {
    public enum Kind: String, Sendable {
        case meeting
        case series
        case account
        case invitation
    }

    public var kind: Kind
    public var id: UUID
    public var name: String
    /// The round number of a meeting.
    public var round: Int?
    public var deletedAt: Date?
    /// The person of a meeting's list whom the action concerned.
    public var person: String?
}

extension AuditTrail {
    /// Returns the subjects of these entries by `lookupID`. A subject is missing if it was deleted permanently, or is
    /// neither an account, an invitation nor part of a meeting or series.
    static func subjects(of entries: [AuditEntry], in pool: Pool) async throws -> [UUID: AuditSubject] {
        let ids = Set(entries.map(\.lookupID))
        guard !ids.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            WITH place AS (
                SELECT u.id AS requested, m.id AS meeting_id, NULL AS person
                FROM unnest(\(Array(ids))) AS u (id) JOIN meeting m ON m.id = u.id
                UNION ALL SELECT f.id, f.meeting_id, NULL FROM form f WHERE f.id = ANY(\(Array(ids)))
                UNION ALL SELECT a.id, a.meeting_id, a.name FROM attendee a WHERE a.id = ANY(\(Array(ids)))
                UNION ALL SELECT sh.id, sh.meeting_id, NULL FROM share sh WHERE sh.id = ANY(\(Array(ids))))
            SELECT p.requested, 'meeting', m.id, m.title, m.round, m.deleted_at, p.person
            FROM place p JOIN meeting m ON m.id = p.meeting_id
            UNION ALL SELECT s.id, 'series', s.id, s.title, NULL, s.deleted_at, NULL
            FROM series s WHERE s.id = ANY(\(Array(ids)))
            UNION ALL SELECT c.id, 'series', s.id, s.title, NULL, s.deleted_at, NULL
            FROM join_code c JOIN series s ON s.id = c.series_id WHERE c.id = ANY(\(Array(ids)))
            UNION ALL SELECT a.id, 'account', a.id, a.name, NULL, a.deleted_at, NULL
            FROM account a WHERE a.id = ANY(\(Array(ids)))
            UNION ALL SELECT i.id, 'invitation', i.id, coalesce(i.email::text, i.note, ''), NULL, NULL, NULL
            FROM invitation i WHERE i.id = ANY(\(Array(ids)))
            """)
        return try rows.reduce(into: [:]) { subjects, row in
            var columns = Columns(row)
            let requestedID: UUID = try columns.next()
            guard let kind = AuditSubject.Kind(rawValue: try columns.next()) else { return }
            subjects[requestedID] = AuditSubject(
                kind: kind, id: try columns.next(), name: try columns.next(), round: try columns.next(),
                deletedAt: try columns.next(), person: try columns.next())
        }
    }
}
