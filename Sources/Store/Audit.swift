import Domain
import Foundation
import Postgres

/// The trail of what hosts and admins did, written in the transaction of the act.
enum Audit {
    static func record(_ act: String, of subjectID: UUID, by accountID: UUID, on connection: Connection) async throws {
        try await connection.execute(
            """
            INSERT INTO audit (id, account_id, act, subject_id)
            VALUES (\(UUIDv7.make()), \(accountID), \(act), \(subjectID))
            """)
    }
}
