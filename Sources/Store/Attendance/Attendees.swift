import Domain
import Foundation
import Postgres

/// A meeting's attendee list, as managed by its hosts.
///
/// Each action changes a single row, so that no concurrent check-in is lost. It locks the meeting's series, so that a
/// co-host who was removed in the meantime cannot change anything.
public struct Attendees: Sendable {
    /// The position of the last attendee on a page, after which the next page starts.
    public typealias Position = (sortKey: String, id: UUID)

    let pool: Pool
    let readings: RoundReadings

    /// Returns attendees ordered by name, then by id.
    public func list(
        of meetingID: UUID, status: AttendanceStatus?, after position: Position?, limit: Int
    ) async throws -> [Attendee] {
        var statement = Attendee.select + "\nWHERE a.meeting_id = \(meetingID)"
        if let status { statement += " AND \(fragment: Attendee.status) = \(status.rawValue)" }
        if let position {
            statement += " AND (\(fragment: Attendee.sortKey), a.id) > (\(position.sortKey), \(position.id))"
        }
        let rows = try await pool.query(
            statement + " ORDER BY \(fragment: Attendee.sortKey), a.id LIMIT \(limit)")
        return try rows.map(Attendee.read)
    }

    /// Adds a person, or restores the entry of a person who was removed. Throws `attendeeExists` for an address that is
    /// on the list.
    ///
    /// - Parameter status: One of `expected`, `present` and `late`.
    public func add(
        name: PersonName, email: EmailAddress?, status: AttendanceStatus, to meeting: Meeting, by principal: Principal,
        once request: IdempotentRequest?, render: @escaping @Sendable (Attendee) throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        try await pool.once(request) { connection in
            try await Access.lock(meeting.seriesID, by: principal, atLeast: .editor, on: connection)
            if let email { try await Person.ensure([email], in: meeting.seriesID, on: connection) }
            let listed = try await connection.query(
                """
                INSERT INTO attendee AS a (id, meeting_id, name, email, status, checked_in_at)
                VALUES (\(UUIDv7.make()), \(meeting.id), \(name.text), \(email?.text)::citext,
                    \(status.rawValue), CASE WHEN \(status.attended) THEN clock_timestamp() END)
                ON CONFLICT (meeting_id, email) DO UPDATE SET name = excluded.name, status = excluded.status,
                    checked_in_at = excluded.checked_in_at, removed_at = NULL, walk_in = false
                WHERE a.removed_at IS NOT NULL
                RETURNING a.id
                """)
            guard let id = try listed.first?.decode(UUID.self) else { throw Problem(.attendeeExists) }
            try await Audit.record("attendee.add", of: id, by: principal.account.id, on: connection)
            try await connection.query(IngestStatement.notification(ofMeeting: meeting.id))
            return try render(try await Self.require(id, of: meeting.id, on: connection))
        }
    }

    /// Changes an entry. Marking a person as present or late sets the check-in time to the current time, if there is
    /// none; marking a person as expected clears it. A name or status of nil leaves the field unchanged.
    public func change(
        _ id: UUID, name: PersonName?, email: Change<EmailAddress>, status: AttendanceStatus?, of meeting: Meeting,
        by principal: Principal
    ) async throws -> Attendee {
        try await pool.transaction { connection in
            try await Access.lock(meeting.seriesID, by: principal, atLeast: .editor, on: connection)
            let address = email.applied(to: nil)
            if let address { try await Person.ensure([address], in: meeting.seriesID, on: connection) }
            // The moment is a parameter, because Citus allows no clock in CASE.
            let now = try await connection.query("SELECT clock_timestamp()").single().decode(Date.self)
            let status = status?.rawValue
            let changed = try await connection.execute(
                """
                UPDATE attendee SET name = coalesce(\(name?.text), name), walk_in = false,
                    email = CASE WHEN \(email == .unchanged) THEN email ELSE \(address?.text)::citext END,
                    status = coalesce(\(status), status),
                    checked_in_at = CASE \(status)::text WHEN 'expected' THEN NULL
                        WHEN 'present' THEN coalesce(checked_in_at, \(now))
                        WHEN 'late' THEN coalesce(checked_in_at, \(now)) ELSE checked_in_at END
                WHERE id = \(id) AND meeting_id = \(meeting.id) AND removed_at IS NULL
                """)
            guard changed == 1 else { throw Problem(.notFound) }
            try await Audit.record("attendee.edit", of: id, by: principal.account.id, on: connection)
            try await connection.query(IngestStatement.notification(ofMeeting: meeting.id))
            return try await Self.require(id, of: meeting.id, on: connection)
        }
    }

    /// Removes an entry; throws 404 when there is none.
    public func remove(_ id: UUID, of meeting: Meeting, by principal: Principal) async throws {
        try await pool.transaction { connection in
            try await Access.lock(meeting.seriesID, by: principal, atLeast: .editor, on: connection)
            let removed = try await Self.remove("a.id = \(id)", from: [meeting.id], on: connection)
            guard removed == 1 else { throw Problem(.notFound) }
            try await Audit.record("attendee.remove", of: id, by: principal.account.id, on: connection)
            try await connection.query(IngestStatement.notification(ofMeeting: meeting.id))
        }
    }

    /// Removes the rows of `attendee a` that match a condition from these meetings' lists, and returns their number.
    ///
    /// If a published form has the identity `attendee`, people with an address may have answered it. Their rows are
    /// retained, but no longer listed. The forms are locked, so that none is published in the meantime.
    static func remove(
        _ condition: Statement, from meetings: [UUID], on connection: Connection
    ) async throws -> Int {
        try await connection.query("SELECT 1 FROM form WHERE meeting_id = ANY (\(meetings)) ORDER BY id FOR SHARE")
        let retained = try await connection.execute(
            """
            UPDATE attendee AS a SET removed_at = statement_timestamp()
            WHERE a.meeting_id = ANY (\(meetings)) AND a.removed_at IS NULL AND a.email IS NOT NULL
                AND \(fragment: condition)
                AND EXISTS (SELECT FROM form f WHERE f.meeting_id = a.meeting_id AND f.version > 0
                    AND f.definition->>'identity' = 'attendee')
            """)
        let deleted = try await connection.execute(
            """
            DELETE FROM attendee a
            WHERE a.meeting_id = ANY (\(meetings)) AND a.removed_at IS NULL AND \(fragment: condition)
            """)
        return retained + deleted
    }

    /// Throws 404 for a person who is not on the list.
    public func require(_ id: UUID, of meetingID: UUID) async throws {
        let rows = try await pool.query("SELECT 1 FROM listed_attendee WHERE id = \(id) AND meeting_id = \(meetingID)")
        if rows.isEmpty { throw Problem(.notFound) }
    }

    private static func require(_ id: UUID, of meetingID: UUID, on connection: Connection) async throws -> Attendee {
        try Attendee.read(
            await connection.query(
                Attendee.select + "\nWHERE a.id = \(id) AND a.meeting_id = \(meetingID)"
            ).requireFirst())
    }
}
