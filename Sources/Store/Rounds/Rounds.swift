import Domain
import Foundation
import Postgres
import StrictJSON

/// Creates further rounds of a series.
public struct Rounds: Sendable {
    let pool: Pool
    let keys: KeyRing
    let zones: TimeZones
    let meetings: Meetings

    /// The values of the last round, which the next one takes over.
    private struct LastRound {
        var meetingID: UUID?
        var draft: MeetingDraft
        var form: FormDefinition
    }

    /// Creates the next round, or several if the request asks for them. Values that the request omits are taken from
    /// the last round.
    ///
    /// - Parameter read: Maps the last round's meeting and form to those of the new rounds. Called under the lock that
    ///   assigns round numbers, so concurrent calls build on each other. After an overlap, called again without the
    ///   lock to find the conflicts.
    public func createNext(
        of seriesID: UUID, by principal: Principal, once request: IdempotentRequest?,
        read: @escaping @Sendable (MeetingDraft, FormDefinition) throws -> NextRound,
        render: @escaping @Sendable (Meeting) throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        let hostID = try await meetings.requireSeries(seriesID, by: principal, atLeast: .editor)
        // Loaded before the transaction, because the names of time zones are read on another connection.
        try await zones.load()
        let keyID = keys.newest
        return try await Overlaps(pool: pool).reportingConflicts(
            try await pool.transaction { connection in
                let last = try await Self.lastRound(of: seriesID, on: connection)
                return try read(last.draft, last.form).meeting.roundTimes
            }, of: hostID, for: principal
        ) {
            try await pool.once(request) { connection in
                try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
                let last = try await Self.lastRound(of: seriesID, on: connection)
                let next = try read(last.draft, last.form)
                try await zones.require(next.meeting.timeZone)
                let (rounds, hostID) = try await connection.query(
                    """
                    UPDATE series SET rounds = rounds + \(next.meeting.rounds)
                    WHERE id = \(seriesID) AND deleted_at IS NULL RETURNING rounds, owner_id
                    """
                ).requireFirst().decode(Int.self, UUID.self)
                let new = NewRounds(
                    next.meeting, asking: next.form, seriesID: seriesID, hostID: hostID,
                    round: rounds - next.meeting.rounds + 1)
                try await new.insert(keyID: keyID, by: principal.account.id, on: connection)
                try await new.expectMembers(on: connection)
                if next.keepsImage, let source = last.meetingID { try await new.copyImage(of: source, on: connection) }
                return try render(await new.recordEvents(on: connection))
            }
        }
    }

    /// Returns the values of the last round that is not in the trash. If there is none, returns those of the last round
    /// in the trash, and if there are no rounds, those of the series.
    private static func lastRound(of seriesID: UUID, on connection: Connection) async throws -> LastRound {
        let rows = try await connection.query(
            """
            SELECT m.id, coalesce(m.title, s.title), coalesce(m.time_zone, 'UTC'), m.place, m.headcount,
                coalesce(m.late_after_minutes, 0), coalesce(m.allow_overlap, false), f.definition
            FROM series s
            LEFT JOIN meeting m ON m.series_id = s.id
            LEFT JOIN form f ON f.meeting_id = m.id
            WHERE s.id = \(seriesID) AND s.deleted_at IS NULL
            ORDER BY m.deleted_at IS NULL DESC, m.round DESC LIMIT 1
            """)
        var columns = Columns(try rows.requireFirst())
        let meetingID: UUID? = try columns.next()
        let draft = MeetingDraft(
            title: try columns.next(), timeZone: try columns.next(), place: try columns.next(),
            headcount: try columns.next(), lateAfterMinutes: try columns.next(), allowOverlap: try columns.next())
        let text: String? = try columns.next()
        let form = try text.map { try FormDefinition(json: StoredJSON.parse($0)) }
        return LastRound(meetingID: meetingID, draft: draft, form: form ?? FormDefinition(title: draft.title))
    }
}

extension Store {
    public var rounds: Rounds {
        Rounds(pool: pool, keys: keys, zones: meetings.zones, meetings: meetings)
    }
}
