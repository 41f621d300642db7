import Domain
import Foundation
import Postgres

/// A POST that creates something, identified by its `Idempotency-Key`.
public struct IdempotentRequest: Sendable {
    public var accountID: UUID
    public var route: String
    public var key: String
    /// SHA-256 of the raw body.
    public var bodyHash: [UInt8]

    public init(accountID: UUID, route: String, key: String, bodyHash: [UInt8]) {
        self.accountID = accountID
        self.route = route
        self.key = key
        self.bodyHash = bodyHash
    }
}

/// A response body, and whether it is a replay of an earlier request's.
public struct Idempotent: Sendable {
    public var answer: [UInt8]
    public var isReplay: Bool
}

extension Pool {
    /// Runs `make` in a transaction once for each key and stores the response with the key; a repeated request within a
    /// day gets the same bytes. A second request that arrives in the meantime waits for the first. Throws
    /// `idempotencyConflict` when the body differs from the stored request's.
    func once(
        _ request: IdempotentRequest?, _ make: @escaping @Sendable (Connection) async throws -> [UInt8]
    ) async throws -> Idempotent {
        try await transaction { connection in
            guard let request else { return Idempotent(answer: try await make(connection), isReplay: false) }
            try await connection.execute(
                """
                DELETE FROM idempotency WHERE account_id = \(request.accountID) AND route = \(request.route)
                    AND key = \(request.key) AND created_at < now() - interval '24 hours'
                """)
            let claimed = try await connection.execute(
                """
                INSERT INTO idempotency (account_id, route, key, body_hash)
                VALUES (\(request.accountID), \(request.route), \(request.key), \(request.bodyHash))
                ON CONFLICT DO NOTHING
                """)
            if claimed == 1 {
                try await Self.sweep(on: connection)
                let answer = try await make(connection)
                try await connection.execute(
                    """
                    UPDATE idempotency SET answer = \(answer) WHERE account_id = \(request.accountID)
                        AND route = \(request.route) AND key = \(request.key)
                    """)
                return Idempotent(answer: answer, isReplay: false)
            }
            let earlier = try await connection.query(
                """
                SELECT body_hash, answer FROM idempotency WHERE account_id = \(request.accountID)
                    AND route = \(request.route) AND key = \(request.key)
                """)
            let (hash, answer) = try earlier.single().decode([UInt8].self, [UInt8].self)
            guard hash == request.bodyHash else { throw Problem(.idempotencyConflict) }
            return Idempotent(answer: answer, isReplay: true)
        }
    }

    /// Deletes up to 100 rows older than a day. Each new response does so, which limits the table to about a day.
    private static func sweep(on connection: Connection) async throws {
        try await connection.execute(
            """
            DELETE FROM idempotency WHERE ctid = ANY (ARRAY(
                SELECT i.ctid FROM idempotency i WHERE i.created_at < now() - interval '24 hours'
                ORDER BY i.created_at LIMIT 100 FOR UPDATE SKIP LOCKED))
            """)
    }
}
