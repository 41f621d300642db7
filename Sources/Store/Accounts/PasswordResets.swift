import Domain
import Foundation
import Postgres

/// Password resets by mail.
public struct PasswordResets: Sendable {
    /// The lifetime of the mailed token, in seconds.
    static let lifetime: TimeInterval = 3600

    let pool: Pool
    let attempts: Attempts

    /// Mails a token if the address belongs to an account that is not disabled. The mail goes to the address stored
    /// with the account, never to the address as entered. A known address takes longer than an unknown one; callers
    /// that must hide the difference have to pad the time.
    ///
    /// - Parameters:
    ///   - service: The URL with which links start.
    ///   - letters: The texts of the letter, in the preferred language if the account has not chosen one.
    ///   - limit: Counts the mails to the account's address. Past it, nothing is sent.
    /// - Returns: Whether the mail was left out because of the limit.
    public func begin(
        for email: EmailAddress, service: String, letters: LetterCatalogues, limit: Attempts.Limit? = nil
    ) async throws -> Bool {
        let token = Secret.make()
        return try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                SELECT id, email::text FROM account
                WHERE email = \(email.text)::citext AND disabled_at IS NULL FOR SHARE
                """)
            guard let (id, storedAddress) = try rows.first?.decode(UUID.self, String.self),
                let address = EmailAddress(storedAddress)
            else { return false }
            if let limit, try await attempts.take(limit.counter(address.normalised), on: connection).wait != nil {
                return true
            }
            try await connection.execute(
                """
                INSERT INTO password_reset (id, hash, account_id, expires_at)
                VALUES (\(UUIDv7.make()), \(Secret.hash(token)), \(id), now() + make_interval(secs => \(Self.lifetime)))
                """)
            let texts = try await letters.texts(chosenBy: id, on: connection)
            try await Outbox.enqueue(
                .passwordReset(token: token, service: service, in: texts), to: address, on: connection)
            return false
        }
    }

    /// Returns the address of the account. Throws 404 for a token that is unknown, expired or used, or whose account is
    /// disabled.
    public func require(_ token: String) async throws -> EmailAddress? {
        let rows = try await pool.query(
            """
            SELECT a.email::text FROM password_reset p JOIN account a ON a.id = p.account_id
            WHERE p.hash = \(Secret.hash(token)) AND p.used_at IS NULL AND p.expires_at > clock_timestamp()
                AND a.disabled_at IS NULL
            """)
        return EmailAddress(try rows.requireFirst().decode(String.self))
    }

    /// Sets the password, ends all sessions, API tokens and other resets of the account, and notifies its owner by
    /// mail.
    public func complete(
        _ token: String, passwordHash: String, service: String, letters: LetterCatalogues
    ) async throws {
        try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                SELECT a.id, a.email::text FROM password_reset p JOIN account a ON a.id = p.account_id
                WHERE p.hash = \(Secret.hash(token)) AND a.disabled_at IS NULL FOR NO KEY UPDATE OF a
                """)
            let (id, email) = try rows.requireFirst().decode(UUID.self, String.self)
            // The token is marked as used under the account's lock, because disabling the account or changing its
            // password deletes its resets under the same lock.
            let used = try await connection.execute(
                """
                UPDATE password_reset SET used_at = now()
                WHERE hash = \(Secret.hash(token)) AND used_at IS NULL AND expires_at > clock_timestamp()
                """)
            guard used == 1 else { throw Problem(.notFound) }
            try await connection.execute(
                "UPDATE password_reset SET used_at = now() WHERE account_id = \(id) AND used_at IS NULL")
            try await connection.execute(
                """
                INSERT INTO credential (account_id, password_hash, changed_at) VALUES (\(id), \(passwordHash), now())
                ON CONFLICT (account_id) DO UPDATE SET password_hash = excluded.password_hash,
                    changed_at = excluded.changed_at, expires_at = NULL
                """)
            try await Tokens.revokeAll(of: id, on: connection)
            try await Audit.record("account.password-reset", of: id, by: id, on: connection)
            guard let address = EmailAddress(email) else { return }
            let texts = try await letters.texts(chosenBy: id, on: connection)
            try await Outbox.enqueue(.passwordChanged(service: service, in: texts), to: address, on: connection)
        }
    }
}
