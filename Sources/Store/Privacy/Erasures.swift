import Domain
import Foundation
import Postgres
import StrictJSON

/// Deletes personal data: an account with the data of its owner, or all data about a person, by address.
public struct Erasures: Sendable {
    let pool: Pool
    let cache: FormCache
    let submissions: Submissions

    /// Deletes the caller's account. Its series are transferred to the heir, even if their meetings overlap with those
    /// of the heir. Without an heir, they are moved to the trash.
    ///
    /// Throws 422 at `/heir` if the heir is not another enabled account, and `lastAdmin` for the last admin.
    public func deleteAccount(
        of principal: Principal, heir: EmailAddress?, if precondition: @escaping Profiles.Precondition = { _ in }
    ) async throws {
        let id = principal.account.id
        let forms = try await pool.transaction { connection in
            _ = try await Accounts.lockAdmins(on: connection)
            try await principal.confirm(on: connection)
            try precondition(try await Profiles.lock(id, on: connection))
            let forms = try await Self.delete(id, heir: heir, by: id, on: connection)
            try await SeriesLifecycle.setTrashed(true, forms.map(\.id), on: connection)
            return forms
        }
        for form in forms { cache.forget(form.code) }
    }

    /// Deletes an account. Its row remains without personal data, because the audit trail and meetings refer to it.
    /// Returns the forms that were moved to the trash. The caller must set their states, together with those of other
    /// forms.
    static func delete(
        _ id: UUID, heir: EmailAddress?, by actorID: UUID, on connection: Connection
    ) async throws -> [SeriesLifecycle.MovedForm] {
        try Accounts.requireOtherAdmin(in: await Accounts.lockAdmins(on: connection), than: id)
        // FOR UPDATE conflicts with the lock that the creation of a series takes. So a series that is being created now
        // is either found by the query below or not created at all.
        let locked = try await connection.query(
            "SELECT 1 FROM account WHERE id = \(id) AND deleted_at IS NULL FOR UPDATE")
        _ = try locked.requireFirst()
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
        if let newOwnerID {
            try await connection.execute("UPDATE saved_template SET owner_id = \(newOwnerID) WHERE owner_id = \(id)")
        }
        try await clear(id, on: connection)
        try await Audit.record("account.delete", of: id, by: actorID, on: connection)
        return forms
    }

    /// Clears all personal data in the account's row, and deletes the rows that belong only to the account.
    private static func clear(_ id: UUID, on connection: Connection) async throws {
        // Citus changes no local table by a statement that reads a control table, so the values are read first.
        let email = try await connection.query("SELECT email::text FROM account WHERE id = \(id)").single()
            .decode(String.self)
        let address: Statement = "\(email)::citext"
        let webhooks = try await connection.query("SELECT id FROM webhook WHERE account_id = \(id)")
            .map { row -> UUID in try row.decode(UUID.self) }
        try await connection.pipeline(Webhooks.removal("= ANY (\(webhooks))"))
        try await connection.execute("DELETE FROM webhook WHERE account_id = \(id)")
        _ = try await eraseMail(address, on: connection)
        try await connection.pipeline([
            """
            DELETE FROM idempotency
            WHERE route = 'POST /v1/invitations' AND \(fragment: storedResponse(contains: address))
            """,
            "DELETE FROM saved_template WHERE owner_id = \(id)",
            "DELETE FROM credential WHERE account_id = \(id)",
            "DELETE FROM account_picture WHERE account_id = \(id)",
            "DELETE FROM token WHERE account_id = \(id)",
            "DELETE FROM password_reset WHERE account_id = \(id)",
            "DELETE FROM series_host WHERE account_id = \(id)",
            "DELETE FROM idempotency WHERE account_id = \(id)",
            // A statement of its own, because Citus allows no clock in COALESCE.
            "UPDATE account SET disabled_at = now() WHERE id = \(id) AND disabled_at IS NULL",
            """
            UPDATE account SET email = \("deleted-\(id.lowercased)@invalid"), name = 'Deleted account',
                role = 'host', locale = NULL, time_zone = NULL, revision = revision + 1,
                deleted_at = now()
            WHERE id = \(id)
            """,
        ])
    }
}

/// The result of an erasure: the number of rows of each kind that were deleted or cleared.
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
    /// Erases all data about the person with this address. Attendances are still counted, without name and address.
    /// Submissions that are linked to the person are withdrawn, whatever the state of the form, and the tallies are
    /// updated.
    ///
    /// The audit trail contains the counts, but never the address.
    public func erase(_ email: EmailAddress, heir: EmailAddress?, by principal: Principal) async throws -> Erasure {
        let actorID = principal.account.id
        let (erasure, trashed) = try await pool.transaction { connection in
            var erasure = Erasure(id: UUIDv7.make())
            var trashed: [SeriesLifecycle.MovedForm] = []
            _ = try await Accounts.lockAdmins(on: connection)
            try await principal.confirm(asAdmin: true, on: connection)
            // Invitations and mails are erased before the account, because they can't be counted afterwards.
            let address: Statement = "\(email.text)::citext"
            (erasure.registrations, erasure.invitations, erasure.mails) = try await Self.eraseMail(
                address, on: connection)
            try await connection.execute(
                "DELETE FROM idempotency WHERE \(fragment: Self.storedResponse(contains: address))")
            let accounts = try await connection.query("SELECT id FROM account WHERE email = \(email.text)::citext")
            if let id = try accounts.first?.decode(UUID.self) {
                trashed = try await Self.delete(id, heir: heir, by: actorID, on: connection)
                erasure.accounts = 1
            }
            let people = try await Self.eraseLists(email, &erasure, on: connection)
            let (trashedIDs, attendedIDs) = (trashed.map(\.id), people.forms)
            try await SeriesLifecycle.lockStates(trashedIDs + attendedIDs, on: connection)
            try await SeriesLifecycle.setTrashed(true, trashedIDs, on: connection)
            for formID in attendedIDs {
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

    /// Erases the person from all attendee lists and rosters. Returns the former ids of the person's attendees, and the
    /// forms of those meetings.
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
        // The attendees get new ids, so that their personal links become invalid.
        try await connection.execute(
            """
            UPDATE attendee AS a SET id = u.fresh, name = 'Erased', email = NULL
            FROM unnest(\(attendees), \(attendees.map { _ in UUIDv7.make() })) AS u (known, fresh) WHERE a.id = u.known
            """)
        return (attendees, forms)
    }

    /// Deletes the sign-ups and open invitations of an address and the mails to it, and clears its used invitations.
    /// Returns the numbers of these rows.
    private static func eraseMail(
        _ address: Statement, on connection: Connection
    ) async throws -> (registrations: Int, invitations: Int, mails: Int) {
        let owner = try await connection.query("SELECT id FROM account WHERE email = \(fragment: address)")
        let ownerID = try owner.first?.decode(UUID.self)
        let changed = try await connection.pipeline([
            "DELETE FROM registration WHERE email = \(fragment: address)",
            // An open invitation is deleted, because without an address anyone could use it. In a used invitation, only
            // the address and note are cleared.
            "DELETE FROM invitation WHERE email = \(fragment: address) AND spent_at IS NULL",
            """
            UPDATE invitation SET email = NULL, note = NULL
            WHERE email = \(fragment: address) OR spent_by = \(ownerID)
            """,
            "DELETE FROM outbox WHERE recipient::citext = \(fragment: address)",
        ]).map(\.affected)
        return (changed[0], changed[1] + changed[2], changed[3])
    }

    /// A condition on `idempotency`: whether one of the JSON strings of the stored response equals this `citext`.
    static func storedResponse(contains address: Statement) -> Statement {
        """
        EXISTS (SELECT FROM jsonb_path_query(convert_from(response, 'UTF8')::jsonb, '$.**') AS part
            WHERE jsonb_typeof(part) = 'string' AND (part #>> '{}')::citext = \(fragment: address))
        """
    }

    /// Withdraws the submissions of these attendees to a form and returns their number. For an anonymous form, returns
    /// 0, because its submissions are not linked to attendees.
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
            let old = try await Submissions.read(connection.query(Submissions.select(formID, id)))
            try await submissions.replaceWithTombstone(old, of: formID, anonymous: false, at: now, on: connection)
        }
        return rows.count
    }
}
