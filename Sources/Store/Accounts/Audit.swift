import Domain
import Foundation
import Postgres
import StrictJSON

/// The trail of what hosts and admins did, written in the transaction of the act.
enum Audit {
    /// - Parameter detail: what changed beyond the act's name; never an address, which an erasure would not find.
    static func record(
        _ act: String, of subjectID: UUID, by accountID: UUID, detail: JSONValue? = nil, on connection: Connection
    ) async throws {
        try await connection.execute(
            """
            INSERT INTO audit (id, account_id, act, subject_id, detail)
            VALUES (\(UUIDv7.make()), \(accountID), \(act), \(subjectID), \(detail.map { JSONB($0.text) }))
            """)
    }
}
