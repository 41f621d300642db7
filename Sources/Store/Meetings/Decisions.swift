import Domain
import Foundation
import Postgres
import StrictJSON

/// What hosts decided at their meetings. Only `replace` checks access.
public struct Decisions: Sendable {
    /// The decisions of one meeting.
    public struct OfMeeting: Sendable, Equatable {
        public var items: [Decision]
        /// 0 if nothing was ever noted.
        public var revision: Int

        public static let none = OfMeeting(items: [], revision: 0)
    }

    /// The decisions of a round, with what identifies the round to people.
    public struct OfRound: Sendable {
        public var meetingID: UUID
        public var round: Int
        public var title: String
        public var startsAt: Date?
        public var decisions: OfMeeting

        fileprivate static let select: Statement = """
            SELECT m.id, m.round, m.title, m.starts_at, d.items, d.revision
            FROM meeting_decisions d JOIN meeting m ON m.id = d.meeting_id
            """

        fileprivate static func read(_ row: Row) throws -> OfRound {
            var columns = Columns(row)
            return OfRound(
                meetingID: try columns.next(), round: try columns.next(), title: try columns.next(),
                startsAt: try columns.next(),
                decisions: OfMeeting(items: try Decisions.items(columns.next()), revision: try columns.next()))
        }
    }

    /// Compares the revision before a change, while the series is locked, for `If-Match`.
    public typealias Precondition = @Sendable (Int) throws -> Void

    let pool: Pool

    /// Returns the decisions of a meeting, and those of the last round before it at which something was decided.
    public func upTo(_ meeting: Meeting) async throws -> (own: OfMeeting, previous: OfRound?) {
        let rows = try await pool.query(
            OfRound.select + """

                WHERE m.series_id = \(meeting.seriesID) AND m.deleted_at IS NULL AND m.round <= \(meeting.round)
                    AND (m.id = \(meeting.id) OR jsonb_array_length(d.items) > 0)
                ORDER BY m.round DESC LIMIT 2
                """
        ).map(OfRound.read)
        let own = rows.first { $0.meetingID == meeting.id }
        return (own?.decisions ?? .none, rows.first { $0.meetingID != meeting.id })
    }

    /// Returns the decisions of the newest round of a series at which something was decided. Nil if there is none.
    public func latest(ofSeries seriesID: UUID) async throws -> OfRound? {
        try await pool.query(
            OfRound.select + """

                WHERE m.series_id = \(seriesID) AND m.deleted_at IS NULL AND jsonb_array_length(d.items) > 0
                ORDER BY m.round DESC LIMIT 1
                """
        ).first.map(OfRound.read)
    }

    /// Returns the revision of a meeting's decisions.
    public func revision(of meetingID: UUID) async throws -> Int {
        try Self.read(await pool.query(Self.select(meetingID))).revision
    }

    /// Replaces the decisions of a meeting. Equal ones change nothing.
    ///
    /// Throws 422 for a question that the meeting's form has never had.
    public func replace(
        _ items: [Decision], of meeting: Meeting, by principal: Principal, if precondition: @escaping Precondition
    ) async throws {
        try await pool.transaction { connection in
            try await Access.lock(meeting.seriesID, by: principal, atLeast: .editor, on: connection)
            let kept = try await connection.query(
                "SELECT 1 FROM meeting WHERE id = \(meeting.id) AND deleted_at IS NULL FOR NO KEY UPDATE")
            _ = try kept.requireFirst()
            let before = try Self.read(await connection.query(Self.select(meeting.id)))
            try precondition(before.revision)
            try await Self.requireQuestions(of: items, meeting.form.id, on: connection)
            guard items != before.items else { return }
            let json = JSONValue.array(items.map(\.stored)).text
            try await connection.execute(
                """
                INSERT INTO meeting_decisions AS d (meeting_id, items) VALUES (\(meeting.id), \(JSONB(json)))
                ON CONFLICT (meeting_id) DO UPDATE SET items = excluded.items, revision = d.revision + 1
                """)
            try await Audit.record("meeting.decide", of: meeting.id, by: principal.account.id, on: connection)
        }
    }

    private static func requireQuestions(
        of items: [Decision], _ formID: UUID, on connection: Connection
    ) async throws {
        guard items.contains(where: { $0.question != nil }) else { return }
        let rows = try await connection.query("SELECT key FROM question WHERE form_id = \(formID)")
        let known = Set(try rows.map { row -> String in try row.decode(String.self) })
        let faults = items.enumerated().compactMap { index, item -> Fault? in
            guard let key = item.question, !known.contains(key) else { return nil }
            return Fault(
                .invalid, at: "/items/\(index)/question", code: "unknown-question", "The form has no such question.")
        }
        guard faults.isEmpty else { throw Problem(faults) }
    }

    /// Deletes what was decided at the meeting of a form. The revision grows, so that an editor's old copy is not taken
    /// for the current one.
    static func clear(ofForm formID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE meeting_decisions SET items = '[]', revision = revision + 1
            WHERE meeting_id IN (SELECT f.meeting_id FROM form f WHERE f.id = \(formID)) AND items <> '[]'
            """)
    }

    private static func select(_ meetingID: UUID) -> Statement {
        "SELECT items, revision FROM meeting_decisions WHERE meeting_id = \(meetingID)"
    }

    private static func read(_ rows: Rows) throws -> OfMeeting {
        guard let (items, revision) = try rows.first?.decode(String.self, Int.self) else { return .none }
        return OfMeeting(items: try Self.items(items), revision: revision)
    }

    /// An expression: the decisions of the newest round before `meeting m` at which something was decided, or null.
    static let previous: Statement = """
        (SELECT d.items FROM meeting_decisions d JOIN meeting o ON o.id = d.meeting_id
            WHERE o.series_id = m.series_id AND o.round < m.round AND o.deleted_at IS NULL
                AND jsonb_array_length(d.items) > 0 ORDER BY o.round DESC LIMIT 1)
        """

    /// Reads the value of `previous`: the decisions that participants see.
    ///
    /// - Parameter isPublished: Whether the form was published. Nobody sees them before.
    static func shown(_ stored: String?, isPublished: Bool) throws -> [Decision] {
        guard isPublished, let stored else { return [] }
        return try items(stored).filter(\.isShown)
    }

    fileprivate static func items(_ stored: String) throws -> [Decision] {
        try (StoredJSON.parse(stored).array ?? []).compactMap { Decision(stored: $0) }
    }
}
