import Foundation
import Postgres

/// A series as the command line lists it.
public struct SeriesLine: Sendable {
    public var id: UUID
    public var title: String
    public var owner: String
    public var rounds: Int
    /// The newest round; nil if the series has none.
    public var latestID: UUID?
    /// Nil for a round without a date.
    public var latestAt: Date?
}

extension SeriesStore {
    /// Returns all series that are not in the trash, the newest first, with the address of the owner.
    public func lines(limit: Int) async throws -> [SeriesLine] {
        try await pool.query(
            """
            SELECT s.id, s.title, o.email::text, (SELECT count(*) FROM meeting m
                WHERE m.series_id = s.id AND m.deleted_at IS NULL), r.id, r.starts_at
            FROM series s JOIN account o ON o.id = s.owner_id LEFT JOIN LATERAL (
                SELECT m.id, m.starts_at FROM meeting m WHERE m.series_id = s.id AND m.deleted_at IS NULL
                ORDER BY m.round DESC LIMIT 1) r ON true
            WHERE s.deleted_at IS NULL ORDER BY s.created_at DESC, s.id DESC LIMIT \(limit)
            """
        ).map { row in
            var columns = Columns(row)
            return SeriesLine(
                id: try columns.next(), title: try columns.next(), owner: try columns.next(),
                rounds: try columns.next(), latestID: try columns.next(), latestAt: try columns.next())
        }
    }
}
