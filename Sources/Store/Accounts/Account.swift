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

extension LetterCatalogues {
    /// Returns the texts in the language from the account's settings, or in the preferred language if the account has
    /// not chosen one.
    func texts(chosenBy accountID: UUID, on connection: Connection) async throws -> LetterTexts {
        let rows = try await connection.query("SELECT locale FROM account WHERE id = \(accountID)")
        return texts(locale: try rows.first?.decode(String?.self, at: 0))
    }
}
