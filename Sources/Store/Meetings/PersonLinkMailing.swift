import Domain
import Foundation
import Postgres

/// Mails people who join a roster the links to their own pages. Only the owner of an address gets its link, even if
/// another person entered the address.
public struct PersonLinkMailing: Sendable {
    let publicURL: String
    let letters: LetterCatalogues

    public init(publicURL: String, letters: LetterCatalogues) {
        self.publicURL = publicURL
        self.letters = letters
    }

    /// Adds the mail to the outbox, unless the owner of the series has sent as many mails today as are allowed.
    ///
    /// - Parameter series: The title of the series.
    /// - Returns: Whether the mail was added.
    func enqueue(
        _ personCode: String, of series: String, to email: EmailAddress, countedFor ownerID: UUID,
        on connection: Connection
    ) async throws -> Bool {
        guard try await MailingLimits.admitsOne(of: ownerID, on: connection) else { return false }
        let letter = Letter.rosterEntry(
            series: series, link: "\(publicURL)/p/\(personCode)", in: letters.texts(locale: nil))
        try await Outbox.enqueue(letter, to: email, on: connection)
        return true
    }
}
