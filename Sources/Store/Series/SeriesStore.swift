import Domain
import Foundation
import Postgres
import StrictJSON

/// Lists, changes, trashes and restores series.
public struct SeriesStore: Sendable {
    /// Checks a locked series before it is changed, for `If-Match`.
    public typealias Precondition = @Sendable (MeetingSeries) throws -> Void

    let pool: Pool
    let cache: FormCache
    let lists: MeetingLists

    /// Returns a host's own and shared series, or all series for an admin.
    public func list(_ query: SeriesQuery, by principal: Principal) async throws -> [MeetingSeries] {
        let lease = try await lists.turn(of: principal)
        defer { withExtendedLifetime(lease) {} }
        let rows = try await pool.query(Self.list(query, for: principal))
        let series = try rows.map { row in
            var series = try MeetingSeries.read(row)
            series.position = SeriesQuery.Position(
                isCurrent: try row.decode(Bool.self, at: MeetingSeries.columnCount),
                at: try row.decode(Date.self, at: MeetingSeries.columnCount + 1), id: series.id)
            return series
        }
        return try await MeetingSeries.withLatest(series) { try await pool.query($0) }
    }

    /// Computes the positions of all series, but reads only the series of the page in full.
    private static func list(_ query: SeriesQuery, for principal: Principal) -> Statement {
        let isRanked = query.order == .current
        var statement: Statement = """
            WITH place AS MATERIALIZED (
                SELECT s.id, \(fragment: isRanked ? isCurrent(for: principal) : "false") AS is_current,
                    \(fragment: isRanked ? latestAt : "s.created_at") AS at
                FROM series s
                WHERE (s.deleted_at IS NOT NULL) = \(query.inTrash) AND \(fragment: Access.isListed(for: principal))
            """
        if let text = query.searchText { statement += " AND strpos(lower(s.title), lower(\(text))) > 0" }
        statement += "), page AS (SELECT * FROM place"
        if let after = query.after {
            statement += " WHERE (is_current, at, id) < (\(after.isCurrent), \(after.at), \(after.id))"
        }
        statement += " ORDER BY is_current DESC, at DESC, id DESC LIMIT \(query.limit))\n"
        return statement + MeetingSeries.select(for: principal, ", p.is_current, p.at")
            + "\nJOIN page p ON p.id = s.id ORDER BY p.is_current DESC, p.at DESC, p.id DESC"
    }

    /// A condition: whether a round of `series s` is running or has an open form.
    private static func isCurrent(for principal: Principal) -> Statement {
        let isVisible: Statement =
            principal.isAdmin
            ? "true" : "m.series_id = ANY (\(fragment: Access.visibleSeriesIDs(of: principal.account.id)))"
        return """
            s.id IN (SELECT m.series_id FROM meeting m
                JOIN form f ON f.meeting_id = m.id JOIN form_state fs ON fs.form_id = f.id
                WHERE m.deleted_at IS NULL AND \(fragment: isVisible)
                    AND (m.starts_at <= now() AND m.ends_at > now() OR fs.state = 'open'
                        AND form_state_at(fs.state, fs.opens_at, fs.closes_at, fs.grace_minutes, now()) = 'open'))
            """
    }

    /// An expression: the start of the newest round of `series s`. For an undated round, it is the creation of the
    /// round; for a series without rounds, the creation of the series.
    private static let latestAt: Statement = """
        coalesce((SELECT coalesce(m.starts_at, m.created_at) FROM meeting m
            WHERE m.series_id = s.id AND m.deleted_at IS NULL ORDER BY m.round DESC LIMIT 1), s.created_at)
        """

    /// Returns the series without its latest round, for a caller that reads the rounds anyway. Throws 404 if the
    /// account has no role in the series.
    public func requireWithoutLatest(_ id: UUID, by principal: Principal) async throws -> MeetingSeries {
        let rows = try await pool.query(
            MeetingSeries.select(for: principal) + "\nWHERE s.id = \(id) AND s.deleted_at IS NULL")
        return try MeetingSeries.read(rows.requireFirst())
    }

    /// Returns the series if the caller has at least this access. With `inTrash`, the series must be in the trash;
    /// otherwise it must not.
    public func require(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer, inTrash: Bool = false
    ) async throws -> MeetingSeries {
        try await Self.require(id, by: principal, atLeast: access, inTrash: inTrash) { try await pool.query($0) }
    }

    /// Returns the rounds before `round`, the newest first. If `round` is nil, starts with the newest round.
    public func rounds(
        of id: UUID, before round: Int?, limit: Int, for principal: Principal
    ) async throws -> [Meeting] {
        let lease = try await lists.turn(of: principal)
        defer { withExtendedLifetime(lease) {} }
        var statement = Meeting.select() + "\nWHERE m.series_id = \(id) AND m.deleted_at IS NULL"
        if let round { statement += " AND m.round < \(round)" }
        return try await pool.query(statement + "\nORDER BY m.round DESC LIMIT \(limit)").map(Meeting.read)
    }

    /// Returns the newest rounds of several series, at most `limit` of each, by series, the newest first. Reads them in
    /// one statement. The caller must be allowed to see the series.
    public func rounds(
        ofEach ids: [UUID], limit: Int, for principal: Principal
    ) async throws -> [UUID: [Meeting]] {
        guard !ids.isEmpty else { return [:] }
        let lease = try await lists.turn(of: principal)
        defer { withExtendedLifetime(lease) {} }
        let rows = try await pool.query(
            Meeting.select()
                + """

                WHERE m.id = ANY (ARRAY(
                    SELECT r.id FROM unnest(\(ids)) AS s (id) CROSS JOIN LATERAL (
                        SELECT n.id FROM meeting n WHERE n.series_id = s.id AND n.deleted_at IS NULL
                        ORDER BY n.round DESC LIMIT \(limit)) r))
                ORDER BY m.round DESC
                """)
        return Dictionary(grouping: try rows.map(Meeting.read), by: \.seriesID)
    }

    public func change(
        _ id: UUID, _ change: SeriesChange, by principal: Principal, if precondition: @escaping Precondition
    ) async throws -> MeetingSeries {
        try await pool.transaction { connection in
            try await Access.lock(id, by: principal, atLeast: .editor, on: connection)
            let before = try await Self.require(id, by: principal) { try await connection.query($0) }
            try precondition(before)
            if change.retentionDays != .unchanged { try Access.check(before.role, atLeast: .owner) }
            let title = change.title ?? before.title
            let days = change.retentionDays.applied(to: before.retentionDays)
            if title != before.title {
                try await connection.execute(
                    "UPDATE series SET title = \(title), revision = revision + 1 WHERE id = \(id)")
                try await Audit.record("series.edit", of: id, by: principal.account.id, on: connection)
            }
            if days != before.retentionDays {
                try await Self.setRetention(days, of: before, by: principal.account.id, on: connection)
            }
            return try await Self.require(id, by: principal) { try await connection.query($0) }
        }
    }

    /// Changes the retention of a locked series. Forms that accepted answers under the current retention keep it if the
    /// new one is longer. Throws 422 if the new one is longer than the service allows.
    private static func setRetention(
        _ days: Int?, of series: MeetingSeries, by accountID: UUID, on connection: Connection
    ) async throws {
        if let days, let limit = series.retentionLimitDays, days > limit {
            throw Problem(
                invalid: "/retentionDays", code: "out-of-range",
                "This service deletes answers at the latest \(limit) days after the form closed.")
        }
        let rows = try await connection.query(
            """
            SELECT s.retention_since,
                ARRAY(SELECT f.id FROM form f JOIN meeting m ON m.id = f.meeting_id WHERE m.series_id = s.id)
            FROM series s WHERE s.id = \(series.id)
            """)
        let (oldSince, forms) = try rows.single().decode(Date?.self, [UUID].self)
        let since: Statement = days == nil ? "NULL" : "now()"
        try await connection.execute(
            """
            UPDATE series SET retention_days = \(days.map { Int32($0) }), retention_since = \(fragment: since),
                revision = revision + 1
            WHERE id = \(series.id)
            """)
        try await Audit.record(
            "series.retention", of: series.id, by: accountID,
            detail: .object([.init("days", days.map { JSONValue($0) } ?? .string("none"))]),
            on: connection)
        guard let oldDays = series.retentionDays, let oldSince else { return }
        let keeping = try await FormRetention.formsKeeping(
            oldDays, since: oldSince, among: "fs.form_id = ANY (\(forms))", on: connection)
        try await FormRetention.record(keeping, oldDays, on: connection)
    }

    /// Moves the series to the trash with all its rounds. There, they do not conflict with other meetings, and their
    /// forms accept no answers.
    public func trash(
        _ id: UUID, by principal: Principal, if precondition: @escaping Precondition = { _ in }
    ) async throws {
        let forms = try await pool.transaction { connection in
            try await Access.lock(id, by: principal, atLeast: .owner, on: connection)
            try precondition(await Self.require(id, by: principal) { try await connection.query($0) })
            let forms = try await SeriesLifecycle.trash(id, by: principal.account.id, on: connection)
            try await SeriesLifecycle.setTrashed(true, forms.map(\.id), on: connection)
            return forms
        }
        for form in forms { cache.forget(form.code) }
    }

    /// Restores the series with the rounds that were moved to the trash with it. Throws 404 if it is not in the trash,
    /// or its time there is over, and 409 with the conflicting meetings if the time of a round is taken.
    public func restore(
        _ id: UUID, by principal: Principal, if precondition: @escaping Precondition = { _ in }
    ) async throws -> MeetingSeries {
        do {
            let (series, forms) = try await pool.transaction { connection in
                try await Access.lock(id, by: principal, atLeast: .owner, inTrash: true, on: connection)
                try precondition(
                    await Self.require(id, by: principal, inTrash: true) { try await connection.query($0) })
                let forms = try await SeriesLifecycle.restore(id, by: principal.account.id, on: connection)
                try await SeriesLifecycle.setTrashed(false, forms.map(\.id), on: connection)
                return (try await Self.require(id, by: principal) { try await connection.query($0) }, forms)
            }
            for form in forms { cache.forget(form.code) }
            return series
        } catch let error as PostgresError where error.violates("meeting_no_overlap") {
            let ownerID = try await require(id, by: principal, inTrash: true).ownerID
            throw Problem.overlap(
                try await Overlaps(pool: pool).find(SeriesLifecycle.times(of: id), of: ownerID, for: principal))
        }
    }

    private static func require(
        _ id: UUID, by principal: Principal, atLeast access: Access = .viewer, inTrash: Bool = false,
        _ query: (Statement) async throws -> Rows
    ) async throws -> MeetingSeries {
        let rows = try await query(
            MeetingSeries.select(for: principal)
                + "\nWHERE s.id = \(id) AND (s.deleted_at IS NOT NULL) = \(inTrash)")
        let series = try MeetingSeries.read(rows.requireFirst())
        try Access.check(series.role, atLeast: access)
        return try await MeetingSeries.withLatest([series], query)[0]
    }
}
