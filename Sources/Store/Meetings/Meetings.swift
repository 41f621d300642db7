import Cryptography
import Domain
import Foundation
import Postgres

/// Meetings of hosts: created with their series and form, found and listed, edited, moved to the trash and restored.
public struct Meetings: Sendable {
    let pool: Pool
    let keys: KeyRing
    let zones: TimeZones
    let cache: FormCache

    /// Creates a meeting with its series, its form and its repeated rounds; `render` renders the response, which a
    /// repeated request gets too.
    public func create(
        _ draft: MeetingDraft, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (Meeting) throws -> [UInt8]
    ) async throws -> Idempotent {
        try await zones.require(draft.timeZone)
        let keyID = keys.newest
        let hostID = principal.account.id
        return try await Overlaps(pool: pool).explained(RoundTimes(draft).rows, of: hostID, for: principal) {
            try await pool.once(request) { connection in
                let seriesID = UUIDv7.make()
                // If the owner's account is being deleted at this moment, the statement waits for that and inserts
                // nothing.
                let inserted = try await connection.execute(
                    """
                    INSERT INTO series (id, owner_id, title, rounds, code)
                    SELECT \(seriesID), a.id, \(draft.title), \(draft.rounds), \(FormCode.make(13))
                    FROM account a WHERE a.id = \(hostID) AND a.disabled_at IS NULL FOR KEY SHARE
                    """)
                guard inserted == 1 else { throw Problem(.unauthorized) }
                let new = NewRounds(
                    draft, asking: FormDefinition(title: draft.title, questions: draft.questions), seriesID: seriesID,
                    hostID: hostID)
                try await new.insert(keyID: keyID, by: hostID, on: connection)
                return try render(await new.announced(on: connection))
            }
        }
    }

    /// Returns the meeting if the caller has at least this access; one in the trash only with `inTrash`.
    @discardableResult
    public func require(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer, inTrash: Bool = false
    ) async throws -> Meeting {
        let rows = try await pool.query(
            Meeting.select(", \(fragment: Access.role(of: principal))")
                + "\nWHERE m.id = \(id) AND (m.deleted_at IS NOT NULL) = \(inTrash)")
        let row = try rows.found()
        try Access.check(try row.decode(String?.self, at: Meeting.columnCount), atLeast: access)
        return try Meeting.read(row)
    }

    /// Returns whether no meeting exists, not even in the trash.
    public func isEmpty() async throws -> Bool {
        try await pool.query("SELECT NOT EXISTS (SELECT FROM meeting)").single().decode(Bool.self)
    }

    /// Returns the owner of the series if the caller has at least this access.
    @discardableResult
    public func requireSeries(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer
    ) async throws -> UUID {
        let rows = try await pool.query(
            """
            SELECT \(fragment: Access.role(of: principal)), s.owner_id FROM series s
            WHERE s.id = \(id) AND s.deleted_at IS NULL
            """)
        let (role, ownerID) = try rows.found().decode(String?.self, UUID.self)
        try Access.check(role, atLeast: access)
        return ownerID
    }
}

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

extension Meetings {
    /// Returns the running meeting among the caller's own and shared ones, the one that started last if there are
    /// several, or else the next to start; throws 404 when there is none.
    public func current(for principal: Principal) async throws -> Meeting {
        let rows = try await pool.query(
            Meeting.select()
                + """

                WHERE m.deleted_at IS NULL AND m.ends_at > now() AND \(fragment: Access.isVisible(to: principal.account.id))
                ORDER BY m.starts_at > now(), abs(extract(epoch FROM m.starts_at - now())), m.id LIMIT 1
                """)
        return try Meeting.read(rows.found())
    }

    /// Returns the meetings that conflict with this time, for a meeting of the caller or in a series that they edit.
    public func conflicts(
        from start: Date, to end: Date, in seriesID: UUID?, for principal: Principal
    ) async throws -> [MeetingConflict] {
        var hostID = principal.account.id
        if let seriesID { hostID = try await requireSeries(seriesID, by: principal, atLeast: .editor) }
        return try await Overlaps(pool: pool).find(
            "SELECT \(start)::timestamptz AS starts_at, \(end)::timestamptz AS ends_at", of: hostID, for: principal)
    }
}
