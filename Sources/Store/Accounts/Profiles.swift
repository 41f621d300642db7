import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

/// Accounts as seen and changed by their owners.
public struct Profiles: Sendable {
    /// Checks the account while it is locked, before it changes. Used for `If-Match`.
    public typealias Precondition = @Sendable (Profile) throws -> Void

    /// A change of password. `oldHash` is the stored hash that the old password was compared with.
    public typealias PasswordChange = (oldHash: String, newHash: String)

    let pool: Pool
    let zones: TimeZones

    public func require(_ id: UUID) async throws -> Profile {
        try Profile.read(await pool.query(Profile.select + "\nWHERE a.id = \(id)").requireFirst())
    }

    /// Returns nil if the password has expired.
    public func passwordHash(of id: UUID) async throws -> String? {
        try await pool.query(
            """
            SELECT CASE WHEN expires_at IS NULL OR expires_at > now() THEN password_hash END
            FROM credential WHERE account_id = \(id)
            """
        ).requireFirst().decode(String?.self)
    }

    /// Applies the edit. A new password ends every session and API token except the caller's own.
    public func edit(
        _ edit: ProfileEdit, password: PasswordChange?, by principal: Principal, if precondition: @escaping Precondition
    ) async throws -> Profile {
        let id = principal.account.id
        if case .set(let zone?) = edit.timeZone { try await zones.require(zone) }
        return try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            let before = try await Self.lock(id, on: connection)
            try precondition(before)
            if !edit.isEmpty { try await Self.write(edit, over: before, on: connection) }
            if let password { try await Self.write(password, by: principal, on: connection) }
            return try Profile.read(await connection.query(Profile.select + "\nWHERE a.id = \(id)").single())
        }
    }

    static func lock(_ id: UUID, on connection: Connection) async throws -> Profile {
        try Profile.read(
            await connection.query(Profile.select + "\nWHERE a.id = \(id) AND a.deleted_at IS NULL FOR UPDATE OF a")
                .requireFirst())
    }

    private static func write(_ edit: ProfileEdit, over before: Profile, on connection: Connection) async throws {
        let id = before.account.id
        try await connection.execute(
            """
            UPDATE account SET name = \(edit.name ?? before.account.name),
                locale = \(edit.locale.applied(to: before.locale)),
                time_zone = \(edit.timeZone.applied(to: before.timeZone)),
                mails_at_close = \(edit.mailsAtClose ?? before.mailsAtClose),
                weekly_digest = \(edit.weeklyDigest ?? before.weeklyDigest), revision = revision + 1
            WHERE id = \(id)
            """)
        if edit.weeklyDigest != nil { try await WeeklyDigests.plan(for: id, on: connection) }
        if edit.removesPicture {
            try await connection.execute("DELETE FROM account_picture WHERE account_id = \(id)")
        }
        try await Audit.record("account.edit", of: id, by: id, on: connection)
    }

    private static func write(
        _ password: PasswordChange, by principal: Principal, on connection: Connection
    ) async throws {
        let id = principal.account.id
        let changed = try await connection.execute(
            """
            UPDATE credential SET password_hash = \(password.newHash), changed_at = now(), expires_at = NULL
            WHERE account_id = \(id) AND password_hash = \(password.oldHash)
            """)
        // No row matches if the password was changed after it was compared.
        guard changed == 1 else { throw Problem.wrongPassword(at: "/oldPassword") }
        try await connection.execute(
            """
            UPDATE token SET revoked_at = now()
            WHERE account_id = \(id) AND id <> \(principal.tokenID) AND revoked_at IS NULL
            """)
        try await connection.execute("DELETE FROM password_reset WHERE account_id = \(id)")
        try await connection.execute("UPDATE account SET revision = revision + 1 WHERE id = \(id)")
        try await Audit.record("account.password", of: id, by: id, on: connection)
    }
}

extension Problem {
    /// The password at this location of the request is not the account's.
    public static func wrongPassword(at pointer: String) -> Problem {
        Problem(invalid: pointer, code: "wrong-password", "This is not your password.")
    }
}

/// An image as stored. The service re-encodes images and never stores the uploaded bytes.
public struct StoredImage: Sendable {
    public var mediaType: String
    public var bytes: [UInt8]
    /// SHA-256 of the bytes.
    public var digest: [UInt8]

    static func read(_ row: Row) throws -> StoredImage {
        let (mediaType, bytes, digest) = try row.decode(String.self, [UInt8].self, [UInt8].self)
        return StoredImage(mediaType: mediaType, bytes: bytes, digest: digest)
    }
}

extension Profiles {
    public func picture(of id: UUID) async throws -> StoredImage {
        try StoredImage.read(
            await pool.query("SELECT media_type, bytes, digest FROM account_picture WHERE account_id = \(id)")
                .requireFirst())
    }

    /// Sets the picture, or replaces it.
    public func setPicture(_ bytes: [UInt8], as mediaType: String, by principal: Principal) async throws {
        let id = principal.account.id
        try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            try await connection.execute(
                """
                INSERT INTO account_picture (account_id, media_type, bytes, digest)
                VALUES (\(id), \(mediaType), \(bytes), \(SHA256.hash(bytes)))
                ON CONFLICT (account_id) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes,
                    digest = excluded.digest
                """)
            try await Self.recordChange(id, on: connection)
        }
    }

    /// Removes the picture; throws 404 when there is none.
    public func removePicture(by principal: Principal) async throws {
        let id = principal.account.id
        try await pool.transaction { connection in
            try await principal.confirm(on: connection)
            let removed = try await connection.execute("DELETE FROM account_picture WHERE account_id = \(id)")
            guard removed == 1 else { throw Problem(.notFound) }
            try await Self.recordChange(id, on: connection)
        }
    }

    private static func recordChange(_ id: UUID, on connection: Connection) async throws {
        try await connection.execute("UPDATE account SET revision = revision + 1 WHERE id = \(id)")
        try await Audit.record("account.picture", of: id, by: id, on: connection)
    }
}

/// An account and its settings.
public struct Profile: Sendable {
    public var account: Account
    /// A language tag.
    public var locale: String?
    /// An IANA name.
    public var timeZone: String?
    /// Grows with each change by the owner or an admin.
    public var revision: Int
    /// When the account was deleted. Its row remains without personal data, because audit entries and meetings refer to
    /// it.
    public var deletedAt: Date?
    public var hasPicture: Bool
    /// Whether the owner gets results by mail when a form closes.
    public var mailsAtClose: Bool
    /// Whether the owner gets a mail about their meetings once a week.
    public var weeklyDigest: Bool

    static let select: Statement = """
        SELECT a.id, a.email::text, a.name, a.role, a.disabled_at, a.created_at, a.locale, a.time_zone, a.revision,
            a.deleted_at, EXISTS (SELECT FROM account_picture p WHERE p.account_id = a.id), a.mails_at_close,
            a.weekly_digest
        FROM account a
        """

    static func read(_ row: Row) throws -> Profile {
        Profile(
            account: try Accounts.account(row), locale: try row.decode(String?.self, at: 6),
            timeZone: try row.decode(String?.self, at: 7), revision: try row.decode(Int.self, at: 8),
            deletedAt: try row.decode(Date?.self, at: 9), hasPicture: try row.decode(Bool.self, at: 10),
            mailsAtClose: try row.decode(Bool.self, at: 11), weeklyDigest: try row.decode(Bool.self, at: 12))
    }
}
