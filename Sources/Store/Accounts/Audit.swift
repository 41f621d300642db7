import Domain
import Foundation
import Postgres
import StrictJSON

/// The log of actions of hosts and admins, written in the transaction of each action.
enum Audit {
    /// Records an action.
    ///
    /// - Parameter detail: What changed beyond the action's name; never an address, which an erasure would not find.
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
