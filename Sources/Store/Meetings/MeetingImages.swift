import Cryptography
import Domain
import Foundation
import Postgres

/// The images of meetings. Each image is stored once, by its digest. These methods do not check access.
public struct MeetingImages: Sendable {
    /// Checks the digest of the current image before a change, while the meeting is locked, for `If-Match`. The digest
    /// is nil if there is no image.
    public typealias Precondition = @Sendable ([UInt8]?) throws -> Void

    let pool: Pool

    /// Returns the image. Throws 404 if there is none.
    public func require(_ meetingID: UUID) async throws -> StoredImage {
        let rows = try await pool.query(
            """
            SELECT i.media_type, i.bytes, i.digest FROM meeting_image r JOIN image i ON i.digest = r.digest
            WHERE r.meeting_id = \(meetingID)
            """)
        return try StoredImage.read(rows.requireFirst())
    }

    /// Returns the image's digest; nil if there is no image.
    public func digest(of meetingID: UUID) async throws -> [UInt8]? {
        try await pool.query(Self.digest(of: meetingID)).first?.decode([UInt8].self)
    }

    /// Replaces the image, and removes its description. The revision of the meeting does not change, because it covers
    /// only the meeting's other fields.
    ///
    /// - Parameter banner: The small copy for the top of the form.
    public func save(
        _ bytes: [UInt8], as mediaType: String, banner: FormPicture.File, of meetingID: UUID, by accountID: UUID,
        if precondition: @escaping Precondition
    ) async throws {
        let digest = SHA256.hash(bytes)
        let before = try await pool.transaction { connection in
            let before = try await Self.lock(meetingID, on: connection)
            try precondition(before)
            // If the image exists, the update locks it, so that it can't be deleted before the meeting refers to it.
            try await connection.execute(
                """
                INSERT INTO image AS i (digest, media_type, bytes, banner, banner_digest, banner_width, banner_height)
                VALUES (\(digest), \(mediaType), \(bytes), \(banner.bytes), \(banner.digest),
                    \(Int32(banner.width)), \(Int32(banner.height)))
                ON CONFLICT (digest) DO UPDATE SET banner = excluded.banner, banner_digest = excluded.banner_digest,
                    banner_width = excluded.banner_width, banner_height = excluded.banner_height
                """)
            try await connection.execute(
                """
                INSERT INTO meeting_image (meeting_id, digest) VALUES (\(meetingID), \(digest))
                ON CONFLICT (meeting_id) DO UPDATE SET digest = excluded.digest, alt = ''
                """)
            try await Audit.record("meeting.image", of: meetingID, by: accountID, on: connection)
            return before
        }
        if let before, before != digest { try await sweep(before) }
    }

    /// Deletes the image. Throws 404 if there is none.
    public func delete(of meetingID: UUID, by accountID: UUID, if precondition: @escaping Precondition) async throws {
        let before = try await pool.transaction { connection in
            let before = try await Self.lock(meetingID, on: connection)
            try precondition(before)
            guard let before else { throw Problem(.notFound) }
            try await connection.execute("DELETE FROM meeting_image WHERE meeting_id = \(meetingID)")
            try await Audit.record("meeting.image-delete", of: meetingID, by: accountID, on: connection)
            return before
        }
        try await sweep(before)
    }

    /// Deletes images that no meeting refers to: all of them, or the one with this digest.
    ///
    /// Runs in a separate transaction, which waits only for the lock of the image. If a meeting has started to refer to
    /// an image in the meantime, the foreign key prevents the deletion. Nothing is deleted then, and the next sweep
    /// tries again.
    func sweep(_ digest: [UInt8]? = nil) async throws {
        do {
            try await pool.execute(
                """
                DELETE FROM image i WHERE i.digest = coalesce(\(digest), i.digest)
                    AND NOT EXISTS (SELECT FROM meeting_image r WHERE r.digest = i.digest)
                """)
        } catch let error as PostgresError where error.violates("meeting_image_image_known") {
            return
        }
    }

    /// Locks the meeting and returns the current digest. Throws 404 if the meeting has been moved to the trash since
    /// access was checked.
    private static func lock(_ meetingID: UUID, on connection: Connection) async throws -> [UInt8]? {
        let rows = try await connection.query(
            "SELECT 1 FROM meeting WHERE id = \(meetingID) AND deleted_at IS NULL FOR NO KEY UPDATE")
        _ = try rows.requireFirst()
        return try await connection.query(digest(of: meetingID)).first?.decode([UInt8].self)
    }

    private static func digest(of meetingID: UUID) -> Statement {
        "SELECT digest FROM meeting_image WHERE meeting_id = \(meetingID)"
    }
}
