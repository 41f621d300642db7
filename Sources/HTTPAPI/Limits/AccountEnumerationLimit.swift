import Domain
import Foundation
import StrictJSON

/// Limits how many addresses an account may name, so that nobody finds out in bulk who has an account. Addresses
/// without an account count towards a lower limit.
///
/// One limit for all routes that reveal whether an address has an account: co-hosts, the new owner of a series, the
/// heir of an account.
struct AccountEnumerationLimit: Sendable {
    private let named = SlidingLimit<UUID>(60, per: .seconds(3600))
    private let misses = SlidingLimit<UUID>(30, per: .seconds(3600))

    /// Runs `act`, which counts as a miss if it throws `unknown-account`; concurrent calls are counted before they run.
    func watch<Value>(_ accountID: UUID, _ act: () async throws -> Value) async throws -> Value {
        try misses.check(accountID)
        try named.take(accountID)
        try misses.take(accountID)
        do {
            let value = try await act()
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
