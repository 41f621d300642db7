import Cryptography
import Foundation
import Postgres
import Store

extension TestService {
    /// Creates a share that is valid for an hour and returns its token.
    public func share(of meeting: TestMeeting) async throws -> String {
        let token = Base64URL.encode(RandomBytes.make(32))
        try await sql(
            """
            INSERT INTO share (id, meeting_id, hash, created_by, expires_at)
            VALUES (\(UUID()), \(UUID(uuidString: meeting.id)), sha256(convert_to(\(token), 'UTF8')),
                \(fixture.host.account.id), now() + interval '1 hour')
            """)
        return token
    }
}
