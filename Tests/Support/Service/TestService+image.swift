import Foundation
import Postgres

extension TestService {
    /// Stores one byte as the image of a meeting unless the meeting has an image.
    public func addImage(to meetingID: UUID?) async throws {
        try await sql(
            """
            WITH i AS (
                INSERT INTO image (digest, media_type, bytes) VALUES (sha256('\\x01'), 'image/png', '\\x01')
                ON CONFLICT (digest) DO UPDATE SET media_type = excluded.media_type RETURNING digest)
            INSERT INTO meeting_image (meeting_id, digest) SELECT \(meetingID), digest FROM i ON CONFLICT DO NOTHING
            """)
    }
}
