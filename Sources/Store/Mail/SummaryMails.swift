import Domain
import Foundation
import Postgres

/// Mails a summary of the results to a meeting's people: those on its list and on the roster, and the hosts of the
/// series.
public struct SummaryMails: Sendable {
    /// Who would get a mail.
    public struct Recipients: Sendable {
        /// Each address once, without that of the sender.
        var addresses: [EmailAddress]
        /// The number of people on the list without an address.
        public var withoutAddress: Int

        public var count: Int { addresses.count }
    }

    static let kind = "summary"

    let pool: Pool

    public func recipients(of meeting: Meeting, for principal: Principal) async throws -> Recipients {
        try await pool.withConnection { try await Self.recipients(of: meeting, for: principal, on: $0) }
    }

    /// Adds a mail for each recipient to the outbox. Returns the recipients.
    ///
    /// Throws 409 for a draft, and 429 if a limit is reached.
    ///
    /// - Parameter letter: Makes the mail, in the language that the sender's account has chosen; nil if it has not.
    public func send(
        of meeting: Meeting, by principal: Principal, once request: IdempotentRequest?,
        letter: @escaping @Sendable (_ locale: String?) -> Letter,
        render: @escaping @Sendable (Recipients) throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        guard meeting.form.version > 0 else { throw Problem(.formNotOpen, "Publish the form first.") }
        let formID = meeting.form.id
        return try await pool.once(request) { connection in
            try await Access.lock(meeting.seriesID, by: principal, atLeast: .editor, on: connection)
            _ = try await connection.query("SELECT id FROM form WHERE id = \(formID) FOR UPDATE").requireFirst()
            try await MailingLimits.checkHour(of: formID, ["form.summary"], on: connection)
            let recipients = try await Self.recipients(of: meeting, for: principal, on: connection)
            let locale = try await connection.query(
                "SELECT locale FROM account WHERE id = \(principal.account.id)"
            ).single().decode(String?.self)
            let mail = letter(locale)
            try await MailingLimits.count(recipients.count, of: "summaries", by: principal, on: connection)
            try await Outbox.enqueue(recipients.addresses.map { (mail, $0) }, on: connection)
            try await Audit.record("form.summary", of: formID, by: principal.account.id, on: connection)
            return try render(recipients)
        }
    }

    private static func recipients(
        of meeting: Meeting, for principal: Principal, on connection: Connection
    ) async throws -> Recipients {
        let rows = try await connection.query(
            """
            SELECT a.email::text FROM listed_attendee a WHERE a.meeting_id = \(meeting.id)
            UNION ALL SELECT m.email::text FROM member m WHERE m.series_id = \(meeting.seriesID)
            UNION ALL SELECT o.email::text FROM series s JOIN account o ON o.id = s.owner_id
                WHERE s.id = \(meeting.seriesID) AND o.disabled_at IS NULL
            UNION ALL SELECT c.email::text FROM series_host h JOIN account c ON c.id = h.account_id
                WHERE h.series_id = \(meeting.seriesID) AND c.disabled_at IS NULL
            """)
        let emails = try rows.map { row -> String? in try row.decode(String?.self) }
        var known: Set<String> = [principal.account.email.lowercased()]
        let addresses = emails.compactMap { $0.flatMap(EmailAddress.init) }
            .filter { known.insert($0.text.lowercased()).inserted }
        return Recipients(addresses: addresses, withoutAddress: emails.count { $0 == nil })
    }
}
