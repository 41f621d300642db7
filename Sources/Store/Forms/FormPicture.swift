import Cryptography
import Domain
import Foundation
import Postgres

/// The picture above a form's questions: a small copy of the meeting's image, with a description.
public struct FormPicture: Sendable, Equatable {
    /// The copy, a JPEG.
    public struct File: Sendable {
        public var bytes: [UInt8]
        /// SHA-256 of the bytes.
        public var digest: [UInt8]
        public var width: Int
        public var height: Int

        public init(bytes: [UInt8], width: Int, height: Int) {
            (self.bytes, self.width, self.height) = (bytes, width, height)
            digest = SHA256.hash(bytes)
        }
    }

    /// The first bytes of the digest in base64url, as in the picture's address.
    public var name: String
    public var width: Int
    public var height: Int
    /// For people who do not see the picture; empty if it says nothing that matters.
    public var alt: String

    /// The columns of `image i` and `meeting_image r`, for `read`.
    static let columns: Statement = "i.banner_digest, i.banner_width, i.banner_height, r.alt"

    /// - Parameter isPublished: Whether the form was published. Nobody sees the picture before.
    static func read(_ columns: inout Columns, isPublished: Bool) throws -> FormPicture? {
        let digest: [UInt8]? = try columns.next()
        let (width, height): (Int?, Int?) = (try columns.next(), try columns.next())
        let alt: String? = try columns.next()
        guard isPublished, let digest, let width, let height else { return nil }
        return FormPicture(name: name(of: digest), width: width, height: height, alt: alt ?? "")
    }

    static func name(of digest: [UInt8]) -> String { Base64URL.encode(Array(digest.prefix(12))) }
}

extension Forms {
    /// Returns the bytes of the picture of a published form. Throws 404 if the form has none, or another one now.
    ///
    /// - Parameter name: `FormPicture.name`.
    public func picture(_ name: String, code: String) async throws -> [UInt8] {
        guard FormCode.isPlausible(code) else { throw Problem(.notFound) }
        let row = try await cache.ids.row(of: .code(code)) { id in
            try await pool.query(
                """
                SELECT i.banner, i.banner_digest FROM form f JOIN form_state fs ON fs.form_id = f.id
                    JOIN meeting_image r ON r.meeting_id = f.meeting_id JOIN image i ON i.digest = r.digest
                WHERE fs.form_id = \(id) AND f.code = \(code) AND NOT fs.trashed AND f.version > 0
                    AND i.banner IS NOT NULL
                """)
        }
        let (bytes, digest) = try row.decode([UInt8].self, [UInt8].self)
        guard FormPicture.name(of: digest) == name else { throw Problem(.notFound) }
        return bytes
    }
}

extension MeetingImages {
    /// Returns the description of the image, and whether the form shows the image; nil if there is no image.
    public func shown(of meetingID: UUID) async throws -> (alt: String, isShown: Bool)? {
        let rows = try await pool.query(
            """
            SELECT r.alt, i.banner IS NOT NULL FROM meeting_image r JOIN image i ON i.digest = r.digest
            WHERE r.meeting_id = \(meetingID)
            """)
        guard let (alt, isShown) = try rows.first?.decode(String.self, Bool.self) else { return nil }
        return (alt, isShown)
    }

    /// Describes the image for people who do not see it. Throws 404 if there is none.
    public func describe(_ alt: String, of meetingID: UUID, by accountID: UUID) async throws {
        try await pool.transaction { connection in
            let changed = try await connection.query(
                "SELECT alt FROM meeting_image WHERE meeting_id = \(meetingID) FOR NO KEY UPDATE")
            guard try changed.requireFirst().decode(String.self) != alt else { return }
            try await connection.execute(
                "UPDATE meeting_image SET alt = \(alt) WHERE meeting_id = \(meetingID)")
            try await Audit.record("meeting.image", of: meetingID, by: accountID, on: connection)
        }
    }
}
