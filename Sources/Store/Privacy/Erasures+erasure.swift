import Domain
import Foundation
import Postgres
import StrictJSON

/// What an erasure took away, by number.
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

    /// By name, in the order in which they are told.
    public var counts: [(name: String, count: Int)] {
        [
            ("accounts", accounts), ("attendees", attendees), ("members", members), ("persons", persons),
            ("registrations", registrations), ("invitations", invitations), ("mails", mails),
            ("submissions", submissions),
        ]
    }
}

extension Erasures {
    /// Erases a person by address everywhere. Whoever was at a meeting stays counted there, without name and address;
    /// what they answered by name is withdrawn, whatever the state of the form, and the tallies follow.
    ///
    /// The trail keeps the numbers and never the address.
    public func erase(_ email: EmailAddress, heir: EmailAddress?, by principal: Principal) async throws -> Erasure {
        let actorID = principal.account.id
        let (erasure, trashed) = try await pool.transaction { connection in
            var erasure = Erasure(id: UUIDv7.make())
            var trashed: [SeriesLifecycle.MovedForm] = []
            _ = try await Accounts.lockAdmins(on: connection)
            try await principal.confirm(asAdmin: true, on: connection)
            // Before the account forgets which invitations and mails were its own: they count.
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

    /// Returns who they were on which lists, and the forms of those meetings.
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
        // Under another id, so that a personal link that was given before leads to nobody.
        try await connection.execute(
            """
            UPDATE attendee AS a SET id = u.fresh, name = 'Erased', email = NULL
            FROM unnest(\(attendees), \(attendees.map { _ in UUIDv7.make() })) AS u (known, fresh) WHERE a.id = u.known
            """)
        return (attendees, forms)
    }

    /// Sign-ups and invitations of the address, mail to it, and kept answers to requests that name it.
    private static func eraseMail(
        _ email: EmailAddress, _ erasure: inout Erasure, on connection: Connection
    ) async throws {
        let address = email.text
        erasure.registrations = try await connection.execute(
            "DELETE FROM registration WHERE email = \(address)::citext")
        // An open one would be anybody's without its address; of a spent one only the address goes.
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
            "DELETE FROM idempotency WHERE \(fragment: keptAnswer(names: "\(address)::citext"))")
    }

    /// Whether a kept answer has this `citext` as one of its strings, whole and however it is escaped.
    static func keptAnswer(names address: Statement) -> Statement {
        """
        EXISTS (SELECT FROM jsonb_path_query(convert_from(answer, 'UTF8')::jsonb, '$.**') AS part
            WHERE jsonb_typeof(part) = 'string' AND (part #>> '{}')::citext = \(fragment: address))
        """
    }

    /// How many submissions of these attendees there were; those of anonymous forms know no attendee.
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
