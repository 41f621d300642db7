import Cryptography
import Domain
import Foundation
import Postgres

/// Creates meetings with their series and forms, and finds, lists, edits, trashes and restores them.
public struct Meetings: Sendable {
    let pool: Pool
    let keys: KeyRing
    let zones: TimeZones
    let cache: FormCache
    let lists: MeetingLists

    /// Creates a meeting with a series and a form, and further rounds if the draft has a repetition.
    ///
    /// - Parameter render: Renders the response, which is stored for repeated requests.
    public func create(
        _ draft: MeetingDraft, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (Meeting) throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        try await zones.require(draft.timeZone)
        let keyID = keys.newest
        let hostID = principal.account.id
        return try await Overlaps(pool: pool).reportingConflicts(draft.roundTimes, of: hostID, for: principal) {
            try await pool.once(request) { connection in
                let seriesID = UUIDv7.make()
                // If the account is being deleted now, the statement waits for the deletion and inserts nothing.
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
                return try render(await new.recordEvents(on: connection))
            }
        }
    }

    /// Returns the meeting if the caller has at least this access. With `inTrash`, the meeting must be in the trash;
    /// otherwise it must not.
    @discardableResult
    public func require(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer, inTrash: Bool = false
    ) async throws -> Meeting {
        let row = try await cache.ids.row(of: .meeting(id)) { formID in
            try await pool.query(
                Meeting.select(", \(fragment: Access.role(of: principal))") + """

                    WHERE fs.form_id = \(formID) AND m.id = \(id) AND (m.deleted_at IS NOT NULL) = \(inTrash)
                    """)
        }
        try Access.check(try row.decode(String?.self, at: Meeting.columnCount), atLeast: access)
        return try Meeting.read(row)
    }

    /// Returns whether there are no meetings at all, not even in the trash.
    public func isEmpty() async throws -> Bool {
        try await pool.query("SELECT NOT EXISTS (SELECT FROM meeting)").single().decode(Bool.self)
    }

    /// Returns the id of the series' owner if the caller has at least this access.
    @discardableResult
    public func requireSeries(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer
    ) async throws -> UUID {
        let rows = try await pool.query(
            """
            SELECT \(fragment: Access.role(of: principal)), s.owner_id FROM series s
            WHERE s.id = \(id) AND s.deleted_at IS NULL
            """)
        let (role, ownerID) = try rows.requireFirst().decode(String?.self, UUID.self)
        try Access.check(role, atLeast: access)
        return ownerID
    }
}

/// A filter for listing meetings. A meeting must match all parts that are not nil.
public struct MeetingQuery: Sendable {
    public enum Phase: String, Sendable, CaseIterable {
        case upcoming
        case running
        case ended
        case trash
    }

    /// The position of a page's last meeting. Meetings are sorted by start, the latest first and undated ones last.
    public typealias Position = (startsAt: Date?, id: UUID)

    public var phase: Phase?
    /// The beginning of the half-open period in which the meetings start.
    public var from: Date?
    /// The end of the period.
    public var to: Date?
    /// Text that the title or place contains, ignoring case.
    public var searchText: String?
    /// The position at which the previous page ended; nil for the first page.
    public var after: Position?
    public var limit: Int

    public init(
        phase: Phase? = nil, from: Date? = nil, to: Date? = nil, searchText: String? = nil, after: Position? = nil,
        limit: Int = 50
    ) {
        self.phase = phase
        self.from = from
        self.to = to
        self.searchText = searchText
        self.after = after
        self.limit = limit
    }
}

extension Meetings {
    /// Returns a host's own and shared meetings, or all meetings for an admin. They are sorted by start, the latest
    /// first and undated ones last, then by id.
    ///
    /// An account has one list at a time. Throws 503 if others take long.
    public func list(_ query: MeetingQuery, by principal: Principal) async throws -> [Meeting] {
        let lease = try await lists.turn(of: principal)
        defer { withExtendedLifetime(lease) {} }
        var statement =
            Meeting.select()
                + """

                WHERE (m.deleted_at IS NOT NULL) = \(query.phase == .trash) AND \(fragment: Access.isListed(for: principal))
                """
        switch query.phase {
        case .upcoming: statement += " AND m.starts_at > now()"
        case .running: statement += " AND m.starts_at <= now() AND m.ends_at > now()"
        case .ended: statement += " AND m.ends_at <= now()"
        case .trash, nil: break
        }
        if let from = query.from { statement += " AND m.starts_at >= \(from)" }
        if let to = query.to { statement += " AND m.starts_at < \(to)" }
        if let text = query.searchText {
            statement +=
                " AND (strpos(lower(m.title), lower(\(text))) > 0 OR strpos(lower(m.place), lower(\(text))) > 0)"
        }
        if let after = query.after {
            // An undated meeting is sorted as if it had started before all others.
            statement += """
                 AND (coalesce(m.starts_at, '-infinity'), m.id)
                    < (coalesce(\(after.startsAt)::timestamptz, '-infinity'), \(after.id)::uuid)
                """
        }
        let rows = try await pool.query(
            statement + "\nORDER BY coalesce(m.starts_at, '-infinity') DESC, m.id DESC LIMIT \(query.limit)")
        return try rows.map(Meeting.read)
    }

    /// Returns the running meeting among the caller's own and shared ones. If several are running, returns the one that
    /// started last. If none is running, returns the next to start. Throws 404 if there is neither.
    public func current(for principal: Principal) async throws -> Meeting {
        let lease = try await lists.turn(of: principal)
        defer { withExtendedLifetime(lease) {} }
        let rows = try await pool.query(
            Meeting.select()
                + """

                WHERE m.deleted_at IS NULL AND m.ends_at > now() AND \(fragment: Access.isVisible(to: principal.account.id))
                ORDER BY m.starts_at > now(), abs(extract(epoch FROM m.starts_at - now())), m.id LIMIT 1
                """)
        return try Meeting.read(rows.requireFirst())
    }

    /// Returns the meetings that would conflict with a meeting at this time.
    ///
    /// - Parameter seriesID: The series of the meeting, which the caller must be allowed to edit. Nil for a new series
    ///   of the caller.
    public func conflicts(
        from start: Date, to end: Date, in seriesID: UUID?, for principal: Principal
    ) async throws -> [MeetingConflict] {
        var hostID = principal.account.id
        if let seriesID { hostID = try await requireSeries(seriesID, by: principal, atLeast: .editor) }
        return try await Overlaps(pool: pool).find(
            "SELECT \(start)::timestamptz AS starts_at, \(end)::timestamptz AS ends_at", of: hostID, for: principal)
    }
}
