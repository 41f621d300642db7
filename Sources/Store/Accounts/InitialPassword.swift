import Foundation
import Postgres

/// The password that the first start of the service generated for the admin, as long as nobody has chosen another.
public struct InitialPassword: Sendable, Equatable {
    /// In seconds.
    public static let lifetime: TimeInterval = 7 * 86_400

    public var email: String
    public var endsAt: Date

    /// Returns nil if there is none.
    public static func read(url: String) async throws -> InitialPassword? {
        try await Connection.with(PostgresConfiguration(url: url)) { connection in
            let rows = try await connection.query(
                """
                SELECT a.email::text, c.expires_at FROM credential c JOIN account a ON a.id = c.account_id
                WHERE c.expires_at IS NOT NULL AND a.disabled_at IS NULL ORDER BY c.expires_at LIMIT 1
                """)
            guard let (email, endsAt) = try rows.first?.decode(String.self, Date.self) else { return nil }
            return InitialPassword(email: email, endsAt: endsAt)
        }
    }
}

extension Accounts {
    /// When the generated password of this account ends; nil once another was chosen.
    public func initialPasswordEnd(of accountID: UUID) async throws -> Date? {
        try await pool.query("SELECT expires_at FROM credential WHERE account_id = \(accountID)").first?
            .decode(Date?.self)
    }
}
