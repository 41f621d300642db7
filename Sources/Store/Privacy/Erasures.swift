import Domain
import Foundation
import Postgres
import StrictJSON

/// Deletion of personal data: of an account with its owner's data, and of a person everywhere by address.
public struct Erasures: Sendable {
    let pool: Pool
    let cache: FormCache
    let submissions: Submissions

    /// Ends the account. Its series are transferred to the heir, whose own meetings they may overlap, or moved to the
    /// trash.
    ///
    /// Throws 422 at `/heir` for an address without another enabled account, and `lastAdmin`.
    public func leave(
        _ principal: Principal, heir: EmailAddress?, if precondition: @escaping Profiles.Precondition = { _ in }
    ) async throws {
        let id = principal.account.id
        let forms = try await pool.transaction { connection in
            _ = try await Accounts.lockAdmins(on: connection)
            try await principal.confirm(on: connection)
            try precondition(try await Profiles.lock(id, on: connection))
            let forms = try await Self.end(id, heir: heir, by: id, on: connection)
            try await SeriesLifecycle.setTrashed(true, forms.map(\.id), on: connection)
            return forms
        }
        for form in forms { cache.forget(form.code) }
    }

    /// Ends an account. Its row remains without personal data, because actions and meetings refer to it. Returns the
    /// forms moved to the trash; setting their states is left to the caller, who may have others to write.
    static func end(
        _ id: UUID, heir: EmailAddress?, by actorID: UUID, on connection: Connection
    ) async throws -> [SeriesLifecycle.MovedForm] {
        try Accounts.checkAdmins(await Accounts.lockAdmins(on: connection), without: id)
        // Locked as a whole row: a series being created is either found by the query below or not created at all.
        let locked = try await connection.query(
            "SELECT 1 FROM account WHERE id = \(id) AND deleted_at IS NULL FOR UPDATE")
        _ = try locked.found()
        var newOwnerID: UUID?
        if let heir {
            newOwnerID = try await SeriesLifecycle.lockNewOwner(heir, on: connection)
            guard let newOwnerID, newOwnerID != id else {
                throw Problem([
                    Fault(
                        .invalid, at: "/heir", code: "unknown-account", "There is no other account with this address.")
                ])
            }
        }
        let series = try await connection.query("SELECT id FROM series WHERE owner_id = \(id) ORDER BY id")
            .map { row -> UUID in try row.decode(UUID.self) }
        var forms: [SeriesLifecycle.MovedForm] = []
        for seriesID in series {
            if let newOwnerID {
                try await SeriesLifecycle.transfer(
                    seriesID, to: newOwnerID, allowingOverlap: true, by: actorID, on: connection)
            } else {
                forms += try await SeriesLifecycle.trash(seriesID, by: actorID, on: connection)
            }
        }
        try await forget(id, on: connection)
        try await Audit.record("account.delete", of: id, by: actorID, on: connection)
        return forms
    }

    /// Clears all personal data in the account's row, and deletes the rows that belong to the account alone.
    private static func forget(_ id: UUID, on connection: Connection) async throws {
        let address: Statement = "(SELECT email FROM account WHERE id = \(id))"
        let webhooks: Statement = "IN (SELECT id FROM webhook WHERE account_id = \(id))"
        try await connection.pipeline(Webhooks.removal(webhooks))
        try await connection.pipeline([
            "DELETE FROM webhook WHERE account_id = \(id)",
            "DELETE FROM registration WHERE email = \(fragment: address)",
            // Without its address, an open invitation would be usable by anyone; a used one retains only the account's
            // id.
            "DELETE FROM invitation WHERE email = \(fragment: address) AND spent_at IS NULL",
            """
            UPDATE invitation SET email = NULL, note = NULL
            WHERE spent_by = \(id) OR email = \(fragment: address)
            """,
            "DELETE FROM outbox WHERE recipient::citext = \(fragment: address)",
            """
            DELETE FROM idempotency
            WHERE route = 'POST /v1/invitations' AND \(fragment: storedResponse(contains: address))
            """,
            "DELETE FROM credential WHERE account_id = \(id)",
            "DELETE FROM account_picture WHERE account_id = \(id)",
            "DELETE FROM token WHERE account_id = \(id)",
            "DELETE FROM password_reset WHERE account_id = \(id)",
            "DELETE FROM series_host WHERE account_id = \(id)",
            "DELETE FROM idempotency WHERE account_id = \(id)",
            """
            UPDATE account SET email = \("deleted-\(id.lowercased)@invalid"), name = 'Deleted account',
                role = 'host', locale = NULL, time_zone = NULL, revision = revision + 1,
                disabled_at = coalesce(disabled_at, now()), deleted_at = now()
            WHERE id = \(id)
            """,
        ])
    }
}

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
        // Without its address, an open invitation would be usable by anyone; from a used one, only the address is
        // deleted.
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
