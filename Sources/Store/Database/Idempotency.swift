import Domain
import Foundation
import Postgres

/// A POST that creates a resource, identified by its `Idempotency-Key`.
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

/// The response to a request with an `Idempotency-Key`.
public struct IdempotentResponse: Sendable {
    public var body: [UInt8]
    /// Whether the request was a repetition, so that the body is that of the first response.
    public var isReplay: Bool
}

extension Pool {
    /// Runs `create` in a transaction, once for each key, and stores the response with the key. A request that is
    /// repeated within a day gets the same bytes; it waits while the first request is still running. Throws
    /// `idempotencyConflict` when the body of the repeated request differs.
    ///
    /// - Parameter request: Nil for a request without a key, which always runs `create`.
    func once(
        _ request: IdempotentRequest?, _ create: @escaping @Sendable (Connection) async throws -> [UInt8]
    ) async throws -> IdempotentResponse {
        try await transaction { connection in
            guard let request else { return IdempotentResponse(body: try await create(connection), isReplay: false) }
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
                let body = try await create(connection)
                try await connection.execute(
                    """
                    UPDATE idempotency SET response = \(body) WHERE account_id = \(request.accountID)
                        AND route = \(request.route) AND key = \(request.key)
                    """)
                return IdempotentResponse(body: body, isReplay: false)
            }
            let earlier = try await connection.query(
                """
                SELECT body_hash, response FROM idempotency WHERE account_id = \(request.accountID)
                    AND route = \(request.route) AND key = \(request.key)
                """)
            let (hash, body) = try earlier.single().decode([UInt8].self, [UInt8].self)
            guard hash == request.bodyHash else { throw Problem(.idempotencyConflict) }
            return IdempotentResponse(body: body, isReplay: true)
        }
    }

    /// Deletes up to 100 rows older than a day. Called for each new response, so that the table contains only the rows
    /// of about one day.
    private static func sweep(on connection: Connection) async throws {
        try await connection.execute(
            """
            DELETE FROM idempotency WHERE ctid = ANY (ARRAY(
                SELECT i.ctid FROM idempotency i WHERE i.created_at < now() - interval '24 hours'
                ORDER BY i.created_at LIMIT 100 FOR UPDATE SKIP LOCKED))
            """)
    }
}
