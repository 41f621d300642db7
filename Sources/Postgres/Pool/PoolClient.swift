import Foundation

/// For whom a task needs connections. While all connections of a pool are in use, its clients take turns.
///
/// Without turns, one client with hundreds of waiting callers would delay all others.
public enum PoolClient: Hashable, Sendable {
    /// The program itself, and reads that serve all clients at once.
    case service
    /// A client address.
    case address(String)
    /// An account, from any address.
    case account(UUID)

    /// The client of the current task and of the tasks that it starts, except detached ones.
    @TaskLocal public static var current = PoolClient.service
}
