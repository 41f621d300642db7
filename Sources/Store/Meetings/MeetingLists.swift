import Foundation

/// Limits how many lists of meetings are read at once. A list counts the people who attended each meeting, which takes
/// long for many meetings of many people.
struct MeetingLists: Sendable {
    private let permits: KeyedPermits<UUID>

    /// - Parameter count: The largest number of lists that are read at once for all accounts. An account has one.
    init(atOnce count: Int) { permits = KeyedPermits(1, total: count) }

    /// Waits for a turn of the account. Throws 503 if its other lists, or those of others, take long.
    func turn(of principal: Principal) async throws -> KeyedPermits<UUID>.Lease {
        try await permits.acquire(
            for: principal.account.id, within: .seconds(5),
            else: "Other lists of meetings are being read for you; try again later.", retryAfter: 2)
    }
}
