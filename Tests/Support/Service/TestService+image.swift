import Foundation
import Postgres

extension TestService {
    /// Stores one byte as the image of a meeting unless the meeting has an image.
    public func addImage(to meetingID: UUID?) async throws {
        try await sql(
            """
            INSERT INTO image (digest, media_type, bytes) VALUES (sha256('\\x01'), 'image/png', '\\x01')
            ON CONFLICT (digest) DO NOTHING
            """)
        try await sql(
            """
            INSERT INTO meeting_image (meeting_id, digest) VALUES (\(meetingID), sha256('\\x01'))
            ON CONFLICT DO NOTHING
            """)
    }
}
