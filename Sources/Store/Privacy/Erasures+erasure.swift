import Domain
import Foundation
import Postgres
import StrictJSON

/// The numbers of rows that an erasure deleted or cleared.
public struct Erasure: Sendable {
    public var id: UUID
    public var accounts = 0
    public var attendees = 0
    public var members = 0
    public var persons = 0
    public var registrations = 0
    public var invitations = 0
    public var mails = 0
    public var submissions = 0

    /// The counts by name, in the order of output.
    public var counts: [(name: String, count: Int)] {
        [
            ("accounts", accounts), ("attendees", attendees), ("members", members), ("persons", persons),
            ("registrations", registrations), ("invitations", invitations), ("mails", mails),
            ("submissions", submissions),
        ]
    }
}

extension Erasures {
    /// Erases a person everywhere by address. Attendances remain counted, without name and address; answers given by
    /// name are withdrawn, whatever the state of the form, and the tallies are updated.
    ///
    /// The audit log contains the counts, but never the address.
    public func erase(_ email: EmailAddress, heir: EmailAddress?, by principal: Principal) async throws -> Erasure {
        let actorID = principal.account.id
        let (erasure, trashed) = try await pool.transaction { connection in
            var erasure = Erasure(id: UUIDv7.make())
            var trashed: [SeriesLifecycle.MovedForm] = []
            _ = try await Accounts.lockAdmins(on: connection)
            try await principal.confirm(asAdmin: true, on: connection)
            // Before the account is ended, because afterwards its invitations and mails could no longer be counted.
            try await Self.eraseMail(email, &erasure, on: connection)
            let accounts = try await connection.query("SELECT id FROM account WHERE email = \(email.text)::citext")
            if let id = try accounts.first?.decode(UUID.self) {
                trashed = try await Self.end(id, heir: heir, by: actorID, on: connection)
                erasure.accounts = 1
            }
            let people = try await Self.eraseLists(email, &erasure, on: connection)
            let (trashedIDs, answered) = (trashed.map(\.id), people.forms)
            try await SeriesLifecycle.lockStates(trashedIDs + answered, on: connection)
            try await SeriesLifecycle.setTrashed(true, trashedIDs, on: connection)
            for formID in answered {
                erasure.submissions += try await withdraw(people.attendees, from: formID, on: connection)
            }
            let counts = erasure.counts.map { JSONValue.Member($0.name, JSONValue($0.count)) }
            try await Audit.record(
                "person.erase", of: erasure.id, by: actorID, detail: .object(counts), on: connection)
            return (erasure, trashed)
        }
        for form in trashed { cache.forget(form.code) }
        return erasure
    }

    /// Erases the address from all lists. Returns the ids of the person's attendees, and the forms of those meetings.
    private static func eraseLists(
        _ email: EmailAddress, _ erasure: inout Erasure, on connection: Connection
    ) async throws -> (attendees: [UUID], forms: [UUID]) {
        let rows = try await connection.query(
            "SELECT id FROM attendee WHERE email = \(email.text)::citext ORDER BY id FOR UPDATE")
        let attendees = try rows.map { row -> UUID in try row.decode(UUID.self) }
        erasure.attendees = attendees.count
        erasure.members = try await connection.execute("DELETE FROM member WHERE email = \(email.text)::citext")
        erasure.persons = try await connection.execute("DELETE FROM person WHERE email = \(email.text)::citext")
        let forms = try await connection.query(
            """
            SELECT DISTINCT f.id FROM attendee a JOIN form f ON f.meeting_id = a.meeting_id
            WHERE a.id = ANY (\(attendees)) ORDER BY f.id
            """
        ).map { row -> UUID in try row.decode(UUID.self) }
        // With new ids, so that earlier personal links become invalid.
        try await connection.execute(
            """
            UPDATE attendee AS a SET id = u.fresh, name = 'Erased', email = NULL
            FROM unnest(\(attendees), \(attendees.map { _ in UUIDv7.make() })) AS u (known, fresh) WHERE a.id = u.known
            """)
        return (attendees, forms)
    }

    /// Deletes sign-ups and invitations of the address, mails to it, and stored responses of requests that contain it.
    private static func eraseMail(
        _ email: EmailAddress, _ erasure: inout Erasure, on connection: Connection
    ) async throws {
        let address = email.text
        erasure.registrations = try await connection.execute(
            "DELETE FROM registration WHERE email = \(address)::citext")
        // Without its address, an open invitation would be usable by anyone; of a used one only the address is deleted.
        erasure.invitations = try await connection.execute(
            "DELETE FROM invitation WHERE email = \(address)::citext AND spent_at IS NULL")
        erasure.invitations += try await connection.execute(
            """
            UPDATE invitation SET email = NULL, note = NULL
            WHERE email = \(address)::citext OR spent_by = (SELECT id FROM account WHERE email = \(address)::citext)
            """)
        erasure.mails = try await connection.execute(
            "DELETE FROM outbox WHERE recipient::citext = \(address)::citext")
        try await connection.execute(
            "DELETE FROM idempotency WHERE \(fragment: storedResponse(contains: "\(address)::citext"))")
    }

    /// A condition: whether a stored response contains this `citext` as one of its strings, compared as a whole and
    /// regardless of escaping.
    static func storedResponse(contains address: Statement) -> Statement {
        """
        EXISTS (SELECT FROM jsonb_path_query(convert_from(answer, 'UTF8')::jsonb, '$.**') AS part
            WHERE jsonb_typeof(part) = 'string' AND (part #>> '{}')::citext = \(fragment: address))
        """
    }

    /// Withdraws the submissions of these attendees and returns their number; submissions to anonymous forms are not
    /// linked to attendees.
    private func withdraw(_ attendees: [UUID], from formID: UUID, on connection: Connection) async throws -> Int {
        let state = try await connection.query(
            "SELECT anonymous FROM form_state WHERE form_id = \(formID) FOR UPDATE")
        guard let anonymous = try state.first?.decode(Bool.self), !anonymous else { return 0 }
        let rows = try await connection.query(
            """
            SELECT id, clock_timestamp() FROM submission
            WHERE form_id = \(formID) AND attendee_id = ANY (\(attendees)) AND NOT withdrawn ORDER BY id
            """)
        for row in rows {
            let (id, now) = try row.decode(UUID.self, Date.self)
            let old = try await submissions.stored(
                id, formID, on: connection.query(Submissions.select(formID, id)))
            try await submissions.empty(old, of: formID, anonymous: false, at: now, on: connection)
        }
        return rows.count
    }
}
