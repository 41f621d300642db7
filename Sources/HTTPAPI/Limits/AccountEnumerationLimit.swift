import Domain
import Foundation
import Store
import StrictJSON

/// Limits how many addresses a caller may name, so that nobody can find out in bulk who has an account. A lower limit
/// applies to addresses without an account.
///
/// The routes by which a host can find out whether an address has an account share the limit: those for co-hosts, the
/// new owner of a series, and the heir of an account.
struct AccountEnumerationLimit: Sendable {
    private static let lookups = Attempts.Limit("named-addresses", 60, per: 3600)
    private static let misses = Attempts.Limit("named-unknown-addresses", 30, per: 3600)

    let attempts: Attempts

    /// Runs `lookup`, which is a miss if it throws `unknown-account`. Calls are counted before they run, so that
    /// concurrent ones cannot exceed the limits.
    ///
    /// - Parameter accountID: The caller.
    func limitLookups<Value>(by accountID: UUID, _ lookup: () async throws -> Value) async throws -> Value {
        let misses = Self.misses.counter(accountID.lowercased)
        let counts = try await attempts.take([Self.lookups.counter(accountID.lowercased), misses])
        if let wait = counts.wait { throw Problem(.tooManyRequests, retryAfter: wait) }
        do {
            let value = try await lookup()
            await attempts.giveBack(misses)
            return value
        } catch let problem as Problem where problem.faults.contains(where: { $0.code == "unknown-account" }) {
            throw problem
        } catch {
            await attempts.giveBack(misses)
            throw error
        }
    }
}
