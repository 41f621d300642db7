import Domain
import Foundation
import Postgres

/// A meeting's list in its host's hands. Each act touches one row, so that nobody who checks in meanwhile is lost.
public struct Attendees: Sendable {
    /// Where a page ended.
    public struct Position: Sendable {
        public var sortKey: String
        public var id: UUID

        public init(sortKey: String, id: UUID) {
            self.sortKey = sortKey
            self.id = id
        }
    }

    let pool: Pool

    /// By name, then by id.
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

    /// Throws `attendeeExists` for an address that is on the list.
    public func add(
        _ draft: Attendee.Draft, to meeting: Meeting, by principal: Principal, once request: IdempotentRequest?,
        render: @escaping @Sendable (Attendee) throws -> [UInt8]
    ) async throws -> Idempotent {
        try await pool.once(request) { connection in
            let id = UUIDv7.make()
            if let email = draft.email { try await Person.ensure([email], in: meeting.seriesID, on: connection) }
            try await connection.execute(
                """
                INSERT INTO attendee (id, meeting_id, name, email, status, checked_in_at)
                VALUES (\(id), \(meeting.id), \(draft.name.text), \(draft.email?.text)::citext,
                    \(draft.status.rawValue), CASE WHEN \(draft.status.attended) THEN clock_timestamp() END)
                """)
            try await Audit.record("attendee.add", of: id, by: principal.account.id, on: connection)
            return try render(try await Self.require(id, of: meeting.id, on: connection))
        }
    }

    /// Who is marked as there without having checked in came now; who is expected again has not come.
    public func change(
        _ id: UUID, _ change: Attendee.Change, of meeting: Meeting, by principal: Principal
    ) async throws -> Attendee {
        try await pool.transaction { connection in
            var (keepsEmail, email): (Bool, EmailAddress?) = (true, nil)
            switch change.email {
            case .keep: break
            case .clear: keepsEmail = false
            case .set(let address):
                (keepsEmail, email) = (false, address)
                try await Person.ensure([address], in: meeting.seriesID, on: connection)
            }
            let status = change.status?.rawValue
            let changed = try await connection.execute(
                """
                UPDATE attendee SET name = coalesce(\(change.name?.text), name),
                    email = CASE WHEN \(keepsEmail) THEN email ELSE \(email?.text)::citext END,
                    status = coalesce(\(status), status),
                    checked_in_at = CASE \(status)::text WHEN 'expected' THEN NULL
                        WHEN 'present' THEN coalesce(checked_in_at, clock_timestamp())
                        WHEN 'late' THEN coalesce(checked_in_at, clock_timestamp()) ELSE checked_in_at END
                WHERE id = \(id) AND meeting_id = \(meeting.id)
                """)
            guard changed == 1 else { throw Problem(.notFound) }
            try await Audit.record("attendee.edit", of: id, by: principal.account.id, on: connection)
            return try await Self.require(id, of: meeting.id, on: connection)
        }
    }

    /// 404 when it is gone already.
    public func remove(_ id: UUID, of meeting: Meeting, by principal: Principal) async throws {
        try await pool.transaction { connection in
            let removed = try await connection.execute(
                "DELETE FROM attendee WHERE id = \(id) AND meeting_id = \(meeting.id)")
            guard removed == 1 else { throw Problem(.notFound) }
            try await Audit.record("attendee.remove", of: id, by: principal.account.id, on: connection)
        }
    }

    /// 404 for one who is not on the list.
    public func require(_ id: UUID, of meetingID: UUID) async throws {
        let rows = try await pool.query("SELECT 1 FROM attendee WHERE id = \(id) AND meeting_id = \(meetingID)")
        if rows.isEmpty { throw Problem(.notFound) }
    }

    private static func require(_ id: UUID, of meetingID: UUID, on connection: Connection) async throws -> Attendee {
        try Attendee.read(
            await connection.query(
                Attendee.select + "\nWHERE a.id = \(id) AND a.meeting_id = \(meetingID)"
            ).found())
    }
}

extension Store {
    public var attendees: Attendees { Attendees(pool: pool) }
}
