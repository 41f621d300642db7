import Domain
import Foundation
import Postgres

/// A filter for listing meetings: each part narrows the result; `after` is the position where the last page ended.
public struct MeetingQuery: Sendable {
    public enum Phase: String, Sendable, CaseIterable {
        case upcoming
        case running
        case ended
        case trash
    }

    /// The position of a page's last meeting, ordered by start, the newest first and undated ones last.
    public struct Position: Sendable {
        public var startsAt: Date?
        public var id: UUID

        public init(startsAt: Date?, id: UUID) {
            self.startsAt = startsAt
            self.id = id
        }
    }

    public var phase: Phase?
    public var from: Date?
    public var to: Date?
    /// Text that the title or place contains.
    public var words: String?
    public var after: Position?
    public var limit: Int

    public init(
        phase: Phase? = nil, from: Date? = nil, to: Date? = nil, words: String? = nil, after: Position? = nil,
        limit: Int = 50
    ) {
        self.phase = phase
        self.from = from
        self.to = to
        self.words = words
        self.after = after
        self.limit = limit
    }
}

extension Meetings {
    /// Returns a host's own and shared meetings, or all meetings for an admin, ordered by start, the newest first and
    /// undated ones last, then by id.
    public func list(_ query: MeetingQuery, by principal: Principal) async throws -> [Meeting] {
        var statement =
            Meeting.select()
                + """

                WHERE (m.deleted_at IS NOT NULL) = \(query.phase == .trash) AND \(fragment: Access.isListed(for: principal))
                """
        switch query.phase {
        case .upcoming: statement = statement + " AND m.starts_at > now()"
        case .running: statement = statement + " AND m.starts_at <= now() AND m.ends_at > now()"
        case .ended: statement = statement + " AND m.ends_at <= now()"
        case .trash, nil: break
        }
        if let from = query.from { statement = statement + " AND m.starts_at >= \(from)" }
        if let to = query.to { statement = statement + " AND m.starts_at < \(to)" }
        if let words = query.words {
            statement =
                statement
                + " AND (strpos(lower(m.title), lower(\(words))) > 0 OR strpos(lower(m.place), lower(\(words))) > 0)"
        }
        if let after = query.after {
            // An undated meeting sorts before all others in time.
            statement =
                statement
                    + """
                     AND (coalesce(m.starts_at, '-infinity'), m.id)
                        < (coalesce(\(after.startsAt)::timestamptz, '-infinity'), \(after.id)::uuid)
                    """
        }
        let rows = try await pool.query(
            statement + "\nORDER BY coalesce(m.starts_at, '-infinity') DESC, m.id DESC LIMIT \(query.limit)")
        return try rows.map(Meeting.read)
    }
}
