import Domain
import Foundation
import Postgres

/// Mails personal links to the people on a meeting's attendee list.
public struct FormInvitations: Sendable {
    /// The numbers of people who got a mail and who did not.
    public struct Sent: Sendable {
        public var mailed: Int
        /// People without an address. For a reminder of a form that is not anonymous, also people who have answered.
        public var skipped: Int
    }

    let pool: Pool
    let keys: KeyRing

    /// Mails links to everybody on the list, or only to those who have not answered. The mails are added to the outbox
    /// in the transaction of the action.
    ///
    /// A reminder of an anonymous form goes to everybody. An editor can list other people under addresses of their own,
    /// so both the mails and the counts would reveal who has answered.
    ///
    /// Throws 422 if the form's identity is not `attendee`, 409 if the form is a draft or accepts no more answers,
    /// and 429 if a limit is reached.
    ///
    /// - Parameters:
    ///   - remind: Whether to leave out people who have already answered, unless the form is anonymous.
    ///   - letters: The texts of the mails, in the preferred language if the account has not chosen one.
    public func send(
        of meetingID: UUID, remind: Bool, publicURL: String, letters: LetterCatalogues,
        by principal: Principal, once request: IdempotentRequest?, render: @escaping @Sendable (Sent) throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        try await pool.once(request) { connection in
            let locked = try await connection.query("SELECT id FROM form WHERE meeting_id = \(meetingID) FOR UPDATE")
            let id = try locked.requireFirst().decode(UUID.self)
            // Read after the lock, so that a concurrent close is taken into account.
            let form = try Form.read(await connection.query(Form.select + "\nWHERE f.id = \(id)").single())
            try Self.check(form)
            try await MailingLimits.checkHour(of: form.id, ["form.invite", "form.remind"], on: connection)
            let people = try await people(
                of: form, leavingOutAnswered: remind && !form.definition.anonymous, on: connection)
            let title =
                form.definition.title.isEmpty ? try await Self.title(meetingID, connection) : form.definition.title
            let texts = try await letters.texts(chosenBy: principal.account.id, on: connection)
            let mails = people.mailed.map { person in
                let link = PersonalLink(formCode: form.code, token: person.token).url(under: publicURL)
                let letter = Letter.invitation(
                    meeting: title, link: link, isAnonymous: form.definition.anonymous, in: texts)
                return (letter, person.email)
            }
            try await MailingLimits.count(mails.count, of: "personal links", by: principal, on: connection)
            try await Outbox.enqueue(mails, on: connection)
            try await Audit.record(
                remind ? "form.remind" : "form.invite", of: form.id, by: principal.account.id, on: connection)
            return try render(Sent(mailed: mails.count, skipped: people.skipped))
        }
    }

    private static func check(_ form: Form) throws(Problem) {
        guard form.definition.identity == .attendee else { throw PersonalLinks.wrongIdentity }
        switch form.state {
        case .draft: throw Problem(.formNotOpen, "Publish the form first.")
        case .closed: throw Problem(.formClosed)
        case .final: throw Problem(.formFinal)
        case .scheduled, .open: return
        }
    }

    /// Returns the people to mail. A person whose answer was withdrawn counts as having answered: the link accepts no
    /// second answer.
    private func people(
        of form: Form, leavingOutAnswered: Bool, on connection: Connection
    ) async throws -> (mailed: [(email: EmailAddress, token: String)], skipped: Int) {
        let key = try await connection.query(
            """
            SELECT fs.key_id, salt.salt FROM form_state fs JOIN form_salt salt ON salt.form_id = fs.form_id
            WHERE fs.form_id = \(form.id)
            """)
        let (keyID, salt) = try key.single().decode(Int.self, [UInt8].self)
        let keys = FormKeys(secret: try keys.key(keyID), salt: salt)
        let rows = try await connection.query(
            "SELECT id, email::text FROM listed_attendee WHERE meeting_id = \(form.meetingID) ORDER BY id")
        let listed = try rows.map { row in
            let (id, email) = try row.decode(UUID.self, String?.self)
            return (id: id, email: email.flatMap(EmailAddress.init), submissionID: keys.id(attendee: id))
        }
        var answered: Set<UUID> = []
        if leavingOutAnswered {
            let submissions = try await connection.query(
                "SELECT id FROM submission WHERE form_id = \(form.id) AND id = ANY (\(listed.map(\.submissionID)))")
            answered = Set(try submissions.map { row -> UUID in try row.decode(UUID.self) })
        }
        let mailed = listed.compactMap { person in
            answered.contains(person.submissionID)
                ? nil : person.email.map { (email: $0, token: keys.token(attendee: person.id)) }
        }
        return (mailed, listed.count - mailed.count)
    }

    private static func title(_ meetingID: UUID, _ connection: Connection) async throws -> String {
        try await connection.query("SELECT title FROM meeting WHERE id = \(meetingID)").single().decode(String.self)
    }
}

extension Outbox {
    /// Enqueues many mails in one statement.
    static func enqueue(_ mails: [(letter: Letter, recipient: EmailAddress)], on connection: Connection) async throws {
        guard !mails.isEmpty else { return }
        try await connection.execute(
            """
            INSERT INTO outbox (bulk, id, kind, recipient, subject, body)
            SELECT true, * FROM unnest(\(mails.map { _ in UUIDv7.make() }), \(mails.map(\.letter.kind)),
                \(mails.map(\.recipient.text)), \(mails.map(\.letter.subject)), \(mails.map(\.letter.body)))
            """)
    }
}
