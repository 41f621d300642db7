import Domain
import Foundation
import Postgres

/// What lets one person on a meeting's list answer its form once.
public struct PersonalLink: Sendable {
    public var formCode: String
    /// Goes as `Authorization: Respondent`.
    public var token: String

    /// The page that answers by it; in the query and not behind `#`, so that it also works without a script.
    public func url(under publicURL: String) -> String { "\(publicURL)/f/\(formCode)?t=\(token)" }
}

/// Personal links, derived whenever they are asked for and kept nowhere.
public struct PersonalLinks: Sendable {
    let pool: Pool
    let keys: KeyRing

    /// 404 for somebody who is not on the list, 422 unless the form is for people on a list. Whoever has a link answers
    /// in that person's place, so the trail says who asked for it.
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
            let (code, isPersonal, keyID, salt) = try rows.found().decode(
                String.self, Bool.self, Int.self, [UInt8]?.self)
            guard isPersonal else { throw Self.notPersonal }
            guard let salt else { throw Problem(.formFinal) }
            try await Audit.record("attendee.link", of: attendeeID, by: principal.account.id, on: connection)
            let keys = FormKeys(secret: try keys.key(keyID), salt: salt)
            return PersonalLink(formCode: code, token: keys.token(attendee: attendeeID))
        }
    }

    static var notPersonal: Problem {
        Problem(.validationFailed, "Personal links belong to a form whose identity is attendee.")
    }
}

extension Store {
    public var personalLinks: PersonalLinks { PersonalLinks(pool: pool, keys: keys) }
}
