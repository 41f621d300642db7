import Domain
import Foundation
import Postgres

/// A link with which one person on a meeting's list answers its form once.
public struct PersonalLink: Sendable {
    public var formCode: String
    /// The token, sent as `Authorization: Respondent`.
    public var token: String

    /// Returns the URL of the page on which the person answers. The token is in the query and not in the fragment, so
    /// that the page works without JavaScript.
    public func url(under publicURL: String) -> String { "\(publicURL)/f/\(formCode)?t=\(token)" }
}

/// The person to whom a personal link belongs.
public struct LinkHolder: Sendable {
    public var name: String
    /// Whether the person has answered. False for an anonymous form, which does not show that.
    public var hasAnswered: Bool
}

/// Creates personal links. They are derived when needed and never stored.
public struct PersonalLinks: Sendable {
    let pool: Pool
    let keys: KeyRing

    /// Creates a personal link. Throws 404 for a person who is not on the list, and 422 unless the form's identity is
    /// `attendee`. Anyone who has the link can answer as that person, so the audit trail records who requested it.
    public func make(
        for attendeeID: UUID, of meetingID: UUID, by principal: Principal
    ) async throws -> PersonalLink {
        try await pool.transaction { connection in
            let rows = try await connection.query(
                """
                SELECT f.code, f.definition->>'identity' = 'attendee', fs.key_id, salt.salt
                FROM listed_attendee a JOIN form f ON f.meeting_id = a.meeting_id JOIN form_state fs ON fs.form_id = f.id
                    LEFT JOIN form_salt salt ON salt.form_id = fs.form_id
                WHERE a.id = \(attendeeID) AND a.meeting_id = \(meetingID)
                """)
            let (code, isPersonal, keyID, salt) = try rows.requireFirst().decode(
                String.self, Bool.self, Int.self, [UInt8]?.self)
            guard isPersonal else { throw Self.wrongIdentity }
            guard let salt else { throw Problem(.formFinal) }
            try await Audit.record("attendee.link", of: attendeeID, by: principal.account.id, on: connection)
            let keys = FormKeys(secret: try keys.key(keyID), salt: salt)
            return PersonalLink(formCode: code, token: keys.token(attendee: attendeeID))
        }
    }

    /// The people of whom a link is made at once.
    private static let maxHeld = 5_000

    /// Creates the links of everyone on the list, sorted by name. Throws 422 unless the form's identity is `attendee`.
    public func makeAll(
        of meetingID: UUID, in seriesID: UUID, by principal: Principal
    ) async throws -> [(name: String, email: String?, link: PersonalLink)] {
        try await pool.transaction { connection in
            try await Access.lock(seriesID, by: principal, atLeast: .editor, on: connection)
            let forms = try await connection.query(
                """
                SELECT f.code, f.definition->>'identity' = 'attendee', fs.key_id, salt.salt
                FROM form f JOIN form_state fs ON fs.form_id = f.id
                    LEFT JOIN form_salt salt ON salt.form_id = fs.form_id
                WHERE f.meeting_id = \(meetingID)
                """)
            let (code, isPersonal, keyID, salt) = try forms.requireFirst().decode(
                String.self, Bool.self, Int.self, [UInt8]?.self)
            guard isPersonal else { throw Self.wrongIdentity }
            guard let salt else { throw Problem(.formFinal) }
            let rows = try await connection.query(
                """
                SELECT a.id, a.name, a.email::text FROM listed_attendee a WHERE a.meeting_id = \(meetingID)
                ORDER BY lower(a.name), a.id LIMIT \(Self.maxHeld)
                """)
            try await Audit.record("attendee.links", of: meetingID, by: principal.account.id, on: connection)
            let keys = FormKeys(secret: try keys.key(keyID), salt: salt)
            return try rows.map { row in
                let (id, name, email) = try row.decode(UUID.self, String.self, String?.self)
                return (name, email, PersonalLink(formCode: code, token: keys.token(attendee: id)))
            }
        }
    }

    static var wrongIdentity: Problem {
        Problem(.validationFailed, "Personal links require a form with the identity attendee.")
    }
}
