import Domain
import Foundation
import Postgres

/// A person who signs in.
public struct Account: Sendable, Equatable {
    public enum Role: String, Sendable, CaseIterable {
        case host
        case admin
    }

    public var id: UUID
    public var email: String
    public var name: String
    public var role: Role
    public var disabledAt: Date?
    public var createdAt: Date
}

extension LetterLanguage {
    /// Returns the language from the account's settings, or the requested language if the account has not chosen one.
    static func chosen(
        by accountID: UUID, else requested: LetterLanguage, on connection: Connection
    ) async throws -> LetterLanguage {
        let rows = try await connection.query("SELECT locale FROM account WHERE id = \(accountID)")
        return LetterLanguage(locale: try rows.first?.decode(String?.self, at: 0)) ?? requested
    }
}
