import Domain
import Foundation
import StrictJSON

/// Limits how many addresses a caller may name, so that nobody can find out in bulk who has an account. A lower limit
/// applies to addresses without an account.
///
/// All routes that reveal whether an address has an account share the limit: co-hosts, the new owner of a series, and
/// the heir of an account.
struct AccountEnumerationLimit: Sendable {
    private let lookups = SlidingLimit<UUID>(60, per: .seconds(3600))
    private let misses = SlidingLimit<UUID>(30, per: .seconds(3600))

    /// Runs `lookup`, which is a miss if it throws `unknown-account`. Calls are counted before they run, so that
    /// concurrent ones cannot exceed the limits.
    ///
    /// - Parameter accountID: The caller.
    func limitLookups<Value>(by accountID: UUID, _ lookup: () async throws -> Value) async throws -> Value {
        try misses.check(accountID)
        try lookups.take(accountID)
        try misses.take(accountID)
        do {
            let value = try await lookup()
            misses.giveBack(accountID)
            return value
        } catch let problem as Problem where problem.faults.contains(where: { $0.code == "unknown-account" }) {
            throw problem
        } catch {
            misses.giveBack(accountID)
            throw error
        }
    }
}
