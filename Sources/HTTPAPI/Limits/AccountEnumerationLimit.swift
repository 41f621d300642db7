import Domain
import Foundation
import StrictJSON

/// The limit on addresses that are named, by who names them: nobody finds out by the dozen who has an account. Those
/// that have none are found sooner.
///
/// One for all routes that tell it: co-hosts, the new owner of a series, the heir of an account.
struct AccountEnumerationLimit: Sendable {
    private let named = SlidingLimit<UUID>(60, per: .seconds(3600))
    private let misses = SlidingLimit<UUID>(30, per: .seconds(3600))

    /// Runs `act`, which counts as a miss if it throws `unknown-account`; many at once count before they are judged.
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
