import Domain
import Foundation
import Postgres

/// A recurring meeting, as visible to one caller.
public struct MeetingSeries: Sendable {
    public var id: UUID
    public var title: String
    /// The code of the page `/s/{code}`.
    public var code: String
    /// The caller's role: `owner`, `editor` or `viewer`.
    public var role: String
    public var access: Access { Access(role: role) ?? .viewer }
    /// The number of rounds. For a series in the trash, only those that were moved to the trash with it.
    public var rounds: Int
    public var members: Int
    public var ownerID: UUID
    public var owner: String
    public var revision: Int
    public var createdAt: Date
    public var deletedAt: Date?
    /// When the series is deleted permanently; nil unless it is in the trash.
    public var purgesAt: Date?
    /// The days after the close of a form after which its answers are deleted; nil if the series does not set them.
    public var retentionDays: Int?
    /// The service's limit on these days, which also applies to series that do not set them.
    public var retentionLimitDays: Int?
    /// The days that apply; nil if answers are kept.
    public var effectiveRetentionDays: Int? { [retentionDays, retentionLimitDays].compactMap(\.self).min() }
    /// The newest round that is not in the trash.
    public var latestID: UUID?
    public var latest: Meeting?
    /// The position in a list; nil if the series was not read as part of one.
    public var position: SeriesQuery.Position?
}

extension MeetingSeries {
    /// Selects the columns of `series s`, followed by the `extra` columns. Of the latest round, only the id is
    /// selected. The role is null if the account is neither the owner, a co-host nor an admin.
    static func select(for principal: Principal, _ extra: Statement = "") -> Statement {
        """
        SELECT s.id, s.title, s.code, \(fragment: Access.role(of: principal)),
            (SELECT count(*) FROM meeting m
             WHERE m.series_id = s.id AND m.deleted_at IS NOT DISTINCT FROM s.deleted_at),
            (SELECT count(*) FROM member b WHERE b.series_id = s.id),
            s.owner_id, o.name, s.revision, s.created_at, s.deleted_at, s.purges_at, s.retention_days,
            (SELECT r.limit_days FROM retention_settings r),
            (SELECT m.id FROM meeting m WHERE m.series_id = s.id AND m.deleted_at IS NULL
             ORDER BY m.round DESC LIMIT 1)\(fragment: extra)
        FROM series s
        JOIN account o ON o.id = s.owner_id
        """
    }

    static let columnCount = 15

    /// Throws 404 if the account has no role in the series.
    static func read(_ row: Row) throws -> MeetingSeries {
        var columns = Columns(row)
        let (id, title, code): (UUID, String, String) = (
            try columns.next(), try columns.next(), try columns.next()
        )
        let role: String? = try columns.next()
        guard let role else { throw Problem(.notFound) }
        return MeetingSeries(
            id: id, title: title, code: code, role: role, rounds: try columns.next(), members: try columns.next(),
            ownerID: try columns.next(), owner: try columns.next(), revision: try columns.next(),
            createdAt: try columns.next(), deletedAt: try columns.next(), purgesAt: try columns.next(),
            retentionDays: try columns.next(), retentionLimitDays: try columns.next(), latestID: try columns.next())
    }

    /// Returns the series with their latest rounds, which are read in one query.
    static func withLatest(
        _ series: [MeetingSeries], _ query: (Statement) async throws -> Rows
    ) async throws -> [MeetingSeries] {
        let ids = series.compactMap(\.latestID)
        guard !ids.isEmpty else { return series }
        let meetings = try await query(Meeting.select() + "\nWHERE m.id = ANY (\(ids))").map(Meeting.read)
        let latest = Dictionary(meetings.map { ($0.id, $0) }) { first, _ in first }
        return series.map { series in
            var series = series
            series.latest = series.latestID.flatMap { latest[$0] }
            return series
        }
    }
}
