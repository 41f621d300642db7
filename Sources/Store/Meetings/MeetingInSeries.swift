import Domain
import Foundation
import Postgres

/// A meeting with its form and its neighbors in the series, as one caller may see them. Each page about a meeting
/// needs these values.
public struct MeetingInSeries: Sendable {
    /// Another round of the series.
    public struct Neighbour: Sendable {
        public var id: UUID
        public var round: Int
        public var title: String
    }

    public var meeting: Meeting
    public var form: Form
    /// The caller's access to the series.
    public var access: Access
    /// The number of rounds that are not in the trash.
    public var rounds: Int
    /// The nearest rounds before and after this one.
    public var earlier: Neighbour?
    public var later: Neighbour?
    /// The round with the highest number.
    public var latest: Neighbour?
}

extension Meetings {
    /// Reads a meeting, its form and its neighbors in one statement. Throws 404 if the caller has no access to the
    /// series, or if the meeting is in the trash.
    public func requireInSeries(_ id: UUID, by principal: Principal) async throws -> MeetingInSeries {
        func neighbor(_ condition: Statement, _ order: Statement) -> Statement {
            """
            LEFT JOIN LATERAL (
                SELECT n.id, n.round, n.title FROM meeting n
                WHERE n.series_id = m.series_id AND n.deleted_at IS NULL AND \(fragment: condition)
                ORDER BY n.round \(fragment: order) LIMIT 1)
            """
        }
        let extra: Statement = """
            , \(fragment: Form.columns), \(fragment: Access.role(of: principal)),
                (SELECT count(*) FROM meeting o WHERE o.series_id = m.series_id AND o.deleted_at IS NULL),
                earlier.id, earlier.round, earlier.title, later.id, later.round, later.title,
                latest.id, latest.round, latest.title
            """
        let rows = try await pool.query(
            """
            \(fragment: Meeting.select(extra))
            \(fragment: neighbor("n.round < m.round", "DESC")) earlier ON true
            \(fragment: neighbor("n.round > m.round", "ASC")) later ON true
            \(fragment: neighbor("true", "DESC")) latest ON true
            WHERE m.id = \(id) AND m.deleted_at IS NULL
            """)
        var columns = Columns(try rows.requireFirst())
        let (meeting, form) = (try Meeting.read(&columns), try Form.read(&columns))
        guard let access = Access(role: try columns.next(String?.self)) else { throw Problem(.notFound) }
        return MeetingInSeries(
            meeting: meeting, form: form, access: access, rounds: try columns.next(),
            earlier: try .read(&columns), later: try .read(&columns), latest: try .read(&columns))
    }
}

extension MeetingInSeries.Neighbour? {
    fileprivate static func read(_ columns: inout Columns) throws -> MeetingInSeries.Neighbour? {
        let (id, round, title): (UUID?, Int?, String?) = (
            try columns.next(), try columns.next(), try columns.next()
        )
        guard let id, let round, let title else { return nil }
        return MeetingInSeries.Neighbour(id: id, round: round, title: title)
    }
}
