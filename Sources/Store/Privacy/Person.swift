import Domain
import Foundation
import Postgres

/// A person in one series, whether a member or not. The table `person` has the person's address and personal code.
enum Person {
    /// Inserts a person for each new address. Existing people keep their codes.
    ///
    /// The addresses are sorted, so that two transactions never deadlock.
    static func ensure(_ emails: [EmailAddress], in seriesID: UUID, on connection: Connection) async throws {
        guard !emails.isEmpty else { return }
        try await connection.execute(insertion(emails, in: seriesID))
    }

    /// The statement of `ensure`.
    static func insertion(_ emails: [EmailAddress], in seriesID: UUID) -> Statement {
        let sorted = Set(emails).sorted { $0.normalised < $1.normalised }.map(\.text)
        return """
            INSERT INTO person (series_id, email, code)
            SELECT \(seriesID), u.email, u.code
            FROM unnest(\(sorted)::citext[], \(sorted.map { _ in FormCode.make(13) })) AS u (email, code)
            ON CONFLICT (series_id, email) DO NOTHING
            """
    }

    /// Replaces the codes of these people, so that the old ones become invalid. Somebody may have joined with another
    /// person's address and know the code.
    static func renewCodes(of emails: [String], in seriesID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            """
            UPDATE person AS p SET code = u.code
            FROM unnest(\(emails)::citext[], \(emails.map { _ in FormCode.make(13) })) AS u (email, code)
            WHERE p.series_id = \(seriesID) AND p.email = u.email
            """)
    }

    /// Returns the personal code; nil for an address that is new to the series.
    static func code(of email: EmailAddress, in seriesID: UUID, on connection: Connection) async throws -> String? {
        try await connection.query(
            "SELECT code FROM person WHERE series_id = \(seriesID) AND email = \(email.text)::citext"
        ).first?.decode(String.self)
    }
}
