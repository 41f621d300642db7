import Domain
import Foundation
import Postgres
import StrictJSON

/// Sign-ups whose address has not been verified yet.
public struct Registrations: Sendable {
    /// The lifetime of the mailed token, in seconds.
    static let lifetime: TimeInterval = 86_400

    let pool: Pool
    let attempts: Attempts

    /// Writes a registration and a mail, whether the address is free or taken, so that both cases take the same time.
    /// For a taken address, the mail does not contain the token, so the registration can only expire.
    ///
    /// If an account or the invitation has the address, the mail goes to the address as stored there. If the invitation
    /// was created for the address, its code can be used instead of the token, even if no mail is sent.
    ///
    /// - Parameters:
    ///  - service: The URL with which links start.
    ///  - letters: The texts of the letter, in the preferred language unless an account with the address has its own.
    ///  - limit: Counts the mails to the recipient's address. Past it, no mail is sent, and a registration that only
    ///    the mailed token could complete is not stored.
    /// - Returns: Whether the mail was left out because of the limit.
    public func begin(
        _ signUp: SignUp, invitation: InvitationInUse?, service: String,
        letters: LetterCatalogues, limit: Attempts.Limit? = nil
    ) async throws -> Bool {
        let token = Secret.make()
        return try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                SELECT (SELECT email::text FROM account WHERE email = \(signUp.email.text)::citext),
                    (SELECT email::text FROM invitation WHERE id = \(invitation?.id)),
                    (SELECT locale FROM account WHERE email = \(signUp.email.text)::citext)
                """)
            let (taken, invited, locale) = try rows.single().decode(String?.self, String?.self, String?.self)
            let recipient = (taken ?? invited).flatMap(EmailAddress.init) ?? signUp.email
            var isMailed = true
            if let limit {
                isMailed = try await attempts.take(limit.counter(recipient.normalised), on: connection).wait == nil
            }
            let isInvited = invitation?.isForAddress == true
            guard isMailed || isInvited else { return true }
            try await connection.execute(
                """
                INSERT INTO registration (id, hash, email, name, invitation_id, expires_at)
                VALUES (\(UUIDv7.make()), \(Secret.hash(token)), \(recipient.text), \(signUp.name),
                    \(invitation?.id), now() + make_interval(secs => \(Self.lifetime)))
                """)
            let letter: Letter =
                taken == nil
                ? .verification(token: token, service: service, in: letters.texts(locale: nil))
                : .addressTaken(service: service, in: letters.texts(locale: locale))
            guard isMailed else { return true }
            try await Outbox.enqueue(
                letter, to: recipient, after: isInvited ? Self.invitedMailDelay : 0, on: connection)
            return false
        }
    }

    /// The fault reported for a token that completes no registration.
    public static let invalidToken = Fault(
        .invalid, at: "/token", code: "invalid-token", "The token is unknown, expired or used.")

    /// Returns the address of the registration that this token completes. Nil if there is none, or if its address has
    /// an account already.
    public func awaitedAddress(_ token: String) async throws -> EmailAddress? {
        let rows = try await pool.query(
            """
            SELECT mine.email::text FROM registration mine
            WHERE \(fragment: Self.awaits(token)) AND mine.expires_at > clock_timestamp()
                AND NOT EXISTS (SELECT FROM account a WHERE a.email = mine.email)
            """)
        return try rows.first.flatMap { EmailAddress(try $0.decode(String.self)) }
    }

    /// Creates the account, marks its invitation as used, and deletes all registrations of the address: each token
    /// works once, and of two simultaneous requests only one succeeds.
    ///
    /// Anyone can sign up with somebody else's address. Therefore the password is not part of the registration: the
    /// person who received the mail sends it together with the token.
    public func verify(_ token: String, passwordHash: String) async throws -> Account {
        let refusal = Problem([Self.invalidToken])
        do {
            return try await pool.transaction { connection in
                let rows = try await connection.query(
                    """
                    DELETE FROM registration r USING registration mine
                    WHERE \(fragment: Self.awaits(token)) AND mine.expires_at > clock_timestamp()
                        AND r.email = mine.email
                    RETURNING r.id = mine.id, r.email::text, r.name, r.invitation_id
                    """)
                let mine = try rows.first { try $0.decode(Bool.self, at: 0) }
                guard let mine, let email = EmailAddress(try mine.decode(String.self, at: 1)) else { throw refusal }
                let account = try await Accounts.insert(
                    email: email, name: mine.decode(String.self, at: 2), role: .host,
                    passwordHash: passwordHash, on: connection)
                if let invitation = try mine.decode(UUID?.self, at: 3) {
                    try await Self.spend(invitation, by: account, on: connection)
                }
                try await Outbox.withdraw("verification", to: email, on: connection)
                try await Audit.record("account.create", of: account.id, by: account.id, on: connection)
                return account
            }
        } catch let error as PostgresError where error.violates("account_email_unique") {
            // The address was taken after the mail was sent, or the token was never mailed.
            throw refusal
        }
    }

    // MARK: Invitations

    /// The delay in seconds before an invited person gets the verification mail. A person who completes the sign-up
    /// with the invitation's code within this time needs no mail, and it is withdrawn.
    static let invitedMailDelay: TimeInterval = 5

    /// Returns the invitation with this code, if the address may use it. Throws 403 for an invitation that is unknown,
    /// used, expired or for another address.
    public func requireInvitation(_ code: String, for email: EmailAddress) async throws -> InvitationInUse {
        let rows = try await pool.query(
            """
            SELECT id, email IS NOT NULL FROM invitation
            WHERE hash = \(Secret.hash(code)) AND spent_at IS NULL AND expires_at > clock_timestamp()
                AND (email IS NULL OR email = \(email.text)::citext)
            """)
        guard let row = rows.first else {
            throw Problem(.forbidden, "The invitation is unknown, spent, expired, or for another address.")
        }
        let (id, isForAddress) = try row.decode(UUID.self, Bool.self)
        return InvitationInUse(id: id, isForAddress: isForAddress)
    }

    /// Returns whether the secret is the code of a valid invitation, whatever its address.
    public func isInvitation(_ secret: String) async throws -> Bool {
        let rows = try await pool.query(
            """
            SELECT FROM invitation
            WHERE hash = \(Secret.hash(secret)) AND spent_at IS NULL AND expires_at > clock_timestamp()
            """)
        return !rows.isEmpty
    }

    /// A condition: whether this secret completes `registration mine`. The secret is the token of the registration's
    /// mail, or the code of an invitation for the same address, which completes the newest registration.
    static func awaits(_ secret: String) -> Statement {
        """
        mine.id = coalesce(
            (SELECT r.id FROM registration r WHERE r.hash = \(Secret.hash(secret))),
            (SELECT r.id FROM registration r JOIN invitation i ON i.id = r.invitation_id AND i.email = r.email
             WHERE i.hash = \(Secret.hash(secret)) AND i.spent_at IS NULL AND i.expires_at > clock_timestamp()
             ORDER BY r.id DESC LIMIT 1))
        """
    }

    static func spend(_ invitation: UUID, by account: Account, on connection: Connection) async throws {
        let rows = try await connection.query(
            """
            UPDATE invitation SET spent_at = now(), spent_by = \(account.id)
            WHERE id = \(invitation) AND spent_at IS NULL
            RETURNING created_by, series_id, role
            """)
        guard let row = rows.first else {
            throw Problem([
                Fault(
                    .invalid, at: "/token", code: "invitation-spent",
                    "The invitation has been used or revoked since the sign-up.")
            ])
        }
        let (adminID, seriesID, role) = try row.decode(UUID.self, UUID?.self, String?.self)
        guard let seriesID, let role else { return }
        try await join(seriesID, as: role, account, invitedBy: adminID, on: connection)
    }

    /// Adds the account to the series, unless the account that created the invitation is no longer an enabled admin.
    private static func join(
        _ seriesID: UUID, as role: String, _ account: Account, invitedBy adminID: UUID, on connection: Connection
    ) async throws {
        let series = try await connection.query(
            """
            SELECT s.id FROM series s, account a
            WHERE s.id = \(seriesID) AND a.id = \(adminID) AND a.role = 'admin' AND a.disabled_at IS NULL
            FOR KEY SHARE OF s
            """)
        guard !series.isEmpty else { return }
        try await connection.execute(
            "INSERT INTO series_host (series_id, account_id, role) VALUES (\(seriesID), \(account.id), \(role))")
        try await Audit.record(
            "series.host.add", of: seriesID, by: adminID,
            detail: .object([.init("account", .string(account.id.lowercased)), .init("role", .string(role))]),
            on: connection)
    }
}

/// The invitation used by a sign-up.
public struct InvitationInUse: Sendable {
    public var id: UUID
    /// Whether the invitation was created for one address, so that no other address can use it.
    public var isForAddress: Bool
}
