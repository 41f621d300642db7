import Domain
import Foundation
import Postgres

extension LetterLanguage {
    /// As the account says; as whoever asks for the letter would have it where it says nothing.
    static func chosen(
        by accountID: UUID, else asked: LetterLanguage, on connection: Connection
    ) async throws -> LetterLanguage {
        let rows = try await connection.query("SELECT locale FROM account WHERE id = \(accountID)")
        return LetterLanguage(locale: try rows.first?.decode(String?.self, at: 0)) ?? asked
    }
}
