import Domain
import Foundation
import Postgres

/// A meeting's image as it is kept: cleaned, never as it was sent.
public struct MeetingImage: Sendable {
    public var mediaType: String
    public var bytes: [UInt8]
    /// SHA-256 of the bytes.
    public var digest: [UInt8]

    public init(mediaType: String, bytes: [UInt8], digest: [UInt8]) {
        self.mediaType = mediaType
        self.bytes = bytes
        self.digest = digest
    }
}

/// The images of meetings; whether the caller may see or change them is judged before.
public struct MeetingImages: Sendable {
    let pool: Pool

    public func require(_ meetingID: UUID) async throws -> MeetingImage {
        let (mediaType, bytes, digest) = try await pool.query(
            "SELECT media_type, bytes, digest FROM meeting_image WHERE meeting_id = \(meetingID)"
        ).found().decode(String.self, [UInt8].self, [UInt8].self)
        return MeetingImage(mediaType: mediaType, bytes: bytes, digest: digest)
    }

    /// Nil where there is none.
    public func digest(of meetingID: UUID) async throws -> [UInt8]? {
        try await pool.query("SELECT digest FROM meeting_image WHERE meeting_id = \(meetingID)")
            .first?.decode([UInt8].self)
    }

    /// In place of the one before; the meeting's revision stays, because an edit of its fields does not touch its image.
    public func save(_ image: MeetingImage, of meetingID: UUID, by accountID: UUID) async throws {
        try await pool.transaction { connection in
            try await Self.requireThere(meetingID, on: connection)
            try await connection.execute(
                """
                INSERT INTO meeting_image AS i (meeting_id, media_type, bytes, digest)
                VALUES (\(meetingID), \(image.mediaType), \(image.bytes), \(image.digest))
                ON CONFLICT (meeting_id) DO UPDATE SET media_type = excluded.media_type, bytes = excluded.bytes,
                    digest = excluded.digest
                """)
            try await Audit.record("meeting.image", of: meetingID, by: accountID, on: connection)
        }
    }

    /// 404 when there is none.
    public func delete(of meetingID: UUID, by accountID: UUID) async throws {
        try await pool.transaction { connection in
            try await Self.requireThere(meetingID, on: connection)
            let deleted = try await connection.execute(
                "DELETE FROM meeting_image WHERE meeting_id = \(meetingID)")
            guard deleted == 1 else { throw Problem(.notFound) }
            try await Audit.record("meeting.image-delete", of: meetingID, by: accountID, on: connection)
        }
    }

    /// The trash may have taken it since access was judged.
    private static func requireThere(_ meetingID: UUID, on connection: Connection) async throws {
        let rows = try await connection.query(
            "SELECT 1 FROM meeting WHERE id = \(meetingID) AND deleted_at IS NULL FOR SHARE")
        _ = try rows.found()
    }
}

extension Store {
    public var meetingImages: MeetingImages { MeetingImages(pool: pool) }
}
