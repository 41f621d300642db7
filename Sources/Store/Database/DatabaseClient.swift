import Foundation
import Postgres

/// For whom a task uses the database. While all connections are in use, the clients take turns, so that hundreds of
/// requests of one client do not delay the others.
public struct DatabaseClient: Hashable, Sendable {
    private let client: PoolClient

    /// The client of the current task.
    public static var current: DatabaseClient { DatabaseClient(client: .current) }

    /// The service itself. Reads that are shared by all clients belong to it too.
    public static var service: DatabaseClient { DatabaseClient(client: .service) }

    /// A client address.
    public static func address(_ text: String) -> DatabaseClient { DatabaseClient(client: .address(text)) }

    /// An account, from any address.
    public static func account(_ id: UUID) -> DatabaseClient { DatabaseClient(client: .account(id)) }

    /// Runs `body` for this client, on the caller's actor.
    public func run<T>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async rethrows -> T {
        try await PoolClient.$current.withValue(client, operation: body, isolation: isolation)
    }

    /// Starts tasks in `body` for this client.
    func start<T>(_ body: () throws -> T) rethrows -> T { try PoolClient.$current.withValue(client, operation: body) }
}
