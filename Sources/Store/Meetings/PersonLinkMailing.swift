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

    /// Adds the mail to the outbox, unless as many people as are allowed have joined the series today.
    ///
    /// - Parameters:
    ///   - series: The title of the series.
    ///   - seriesID: The series, for which the mail counts.
    /// - Returns: Whether the mail was added.
    func enqueue(
        _ personCode: String, of series: String, to email: EmailAddress, countedFor seriesID: UUID,
        on connection: Connection
    ) async throws -> Bool {
        guard try await MailingLimits.admitsJoining(seriesID, on: connection) else { return false }
        let letter = Letter.rosterEntry(
            series: series, link: "\(publicURL)/p/\(personCode)", in: letters.texts(locale: nil))
        try await Outbox.enqueue(letter, to: email, on: connection)
        return true
    }
}
