import Domain
import Foundation
import Postgres
import StrictJSON

/// Sign-ups that wait for their address to be verified.
public struct Registrations: Sendable {
    /// How long the mailed token is good, in seconds.
    static let life: TimeInterval = 86_400

    let pool: Pool

    /// The id of an invitation that this address may use; 403 for one that is unknown, spent, expired or another's.
    public func requireInvitation(_ code: String, for email: EmailAddress) async throws -> UUID {
        let rows = try await pool.query(
            """
            SELECT id FROM invitation
            WHERE hash = \(Secret.hash(code)) AND spent_at IS NULL AND expires_at > clock_timestamp()
                AND (email IS NULL OR email = \(email.text)::citext)
            """)
        guard let row = rows.first else {
            throw Problem(.forbidden, "The invitation is unknown, spent, expired, or for another address.")
        }
        return try row.decode(UUID.self)
    }

    /// Writes a registration and a mail, whether the address is free or taken, so that both take the same time. Of a
    /// taken address nobody learns the token: its registration can only expire.
    ///
    /// The mail goes to the address as the account or the invitation has it, if one of them does.
    ///
    /// - Parameters:
    ///   - service: what links begin with.
    ///   - language: of the letter, if there is no account that has one.
    ///   - admits: asked once with the address of the mail; false writes nothing.
    public func begin(
        _ signUp: SignUp, passwordHash: String, invitationID: UUID?, service: String,
        language: LetterLanguage = .english, admits: @escaping @Sendable (EmailAddress) -> Bool = { _ in true }
    ) async throws {
        let token = Secret.make()
        try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                SELECT (SELECT email::text FROM account WHERE email = \(signUp.email.text)::citext),
                    (SELECT email::text FROM invitation WHERE id = \(invitationID)),
                    (SELECT locale FROM account WHERE email = \(signUp.email.text)::citext)
                """)
            let (taken, invited, locale) = try rows.single().decode(String?.self, String?.self, String?.self)
            let recipient = (taken ?? invited).flatMap(EmailAddress.init) ?? signUp.email
            guard admits(recipient) else { return }
            try await connection.execute(
                """
                INSERT INTO registration (id, hash, email, name, password_hash, invitation_id, expires_at)
                VALUES (\(UUIDv7.make()), \(Secret.hash(token)), \(recipient.text), \(signUp.name),
                    \(passwordHash), \(invitationID), now() + make_interval(secs => \(Self.life)))
                """)
            let letter: Letter =
                taken == nil
                ? .verification(token: token, service: service, in: language)
                : .addressTaken(service: service, in: LetterLanguage(locale: locale) ?? language)
            try await Outbox.enqueue(letter, to: recipient, on: connection)
        }
    }

    /// Makes the account, spends its invitation, and ends every other registration of the address: each token works
    /// once, and of two that come at the same time one wins.
    public func verify(_ token: String) async throws -> Account {
        let refusal = Problem([
            Fault(.invalid, at: "/token", code: "invalid-token", "The token is unknown, expired or used.")
        ])
        do {
            return try await pool.transaction { connection in
                let rows = try await connection.query(
                    """
                    DELETE FROM registration r USING registration mine
                    WHERE mine.hash = \(Secret.hash(token)) AND mine.expires_at > clock_timestamp()
                        AND r.email = mine.email
                    RETURNING r.id = mine.id, r.email::text, r.name, r.password_hash, r.invitation_id
                    """)
                let mine = try rows.first { try $0.decode(Bool.self, at: 0) }
                guard let mine, let email = EmailAddress(try mine.decode(String.self, at: 1)) else { throw refusal }
                let account = try await Accounts.insert(
                    email: email, name: mine.decode(String.self, at: 2), role: .host,
                    passwordHash: mine.decode(String.self, at: 3), on: connection)
                if let invitation = try mine.decode(UUID?.self, at: 4) {
                    try await Self.spend(invitation, by: account, on: connection)
                }
                try await Audit.record("account.create", of: account.id, by: account.id, on: connection)
                return account
            }
        } catch let error as PostgresError where error.violates("account_email_unique") {
            // Taken since the mail was sent, or a token that was never mailed.
            throw refusal
        }
    }

    private static func spend(_ invitation: UUID, by account: Account, on connection: Connection) async throws {
        let spent = try await connection.execute(
            """
            UPDATE invitation SET spent_at = now(), spent_by = \(account.id)
            WHERE id = \(invitation) AND spent_at IS NULL
            """)
        guard spent == 1 else {
            throw Problem([
                Fault(
                    .invalid, at: "/token", code: "invitation-spent",
                    "The invitation has been used or taken back since the sign-up.")
            ])
        }
    }
}

extension Store {
    public var registrations: Registrations { Registrations(pool: pool) }
}
