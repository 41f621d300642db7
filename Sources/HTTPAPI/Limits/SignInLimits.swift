import Domain
import Foundation
import HTTPServer
import Store

/// Locks out clients that guess passwords. Attempts are counted by account and client address, so that nobody can lock
/// out an owner who signs in from elsewhere. Attempts on accounts that do not exist are counted in the same way.
///
/// For the same reason there is no limit per account over all addresses. Very many failures of one account are only
/// logged.
struct SignInLimits: Sendable {
    /// An attempt that was counted or refused.
    struct Attempt: Sendable {
        fileprivate let counters: [Attempts.Counter]
        fileprivate let counts: [Attempts.Count]

        /// The seconds to wait; nil if the attempt is allowed.
        var wait: Int? { counts.wait }
        /// Whether this client may make no further attempt, for any account.
        var usesUpClient: Bool { counts[0].isUsedUp }
        /// Whether this client may make no further attempt for this account.
        var usesUpPair: Bool { counts.count > 1 && counts[1].isUsedUp }
    }

    private static let pairs = Attempts.Limit("sign-ins", 10, per: 900)
    private static let clients = Attempts.Limit("sign-ins-of-address", 100, per: 900)

    private let attempts: Attempts
    /// The failures of each account from all addresses, on this instance. The capacity is small because each account
    /// may need as many timestamps as the limit allows failures.
    private let accounts: SlidingLimit<UUID>

    /// - Parameter failuresOfAccount: The largest number of failures of one account within an hour that is not logged as
    ///   an attack.
    init(attempts: Attempts, failuresOfAccount: Int = 1_000) {
        self.attempts = attempts
        accounts = SlidingLimit(failuresOfAccount, per: .seconds(3600), capacity: 1_000)
    }

    /// Counts an attempt before it is checked, so that concurrent attempts cannot exceed the limit.
    ///
    /// - Parameter account: Nil for text that is not a mail address.
    func begin(_ account: EmailAddress?, from client: ClientAddress) async throws -> Attempt {
        var counters = [Self.clients.counter(client.text)]
        if let account { counters.append(Self.pairs.counter("\(account.normalised)\n\(client.text)")) }
        return Attempt(counters: counters, counts: try await attempts.take(counters))
    }

    /// Counts a failure of an existing account. Returns whether the account had too many within an hour, from all
    /// addresses together; no request is refused for this.
    func isAttacked(afterFailureOf account: UUID) -> Bool { !accounts.tryTake(account) }

    /// Removes an attempt that succeeded, and the earlier ones for this account from this client.
    func succeeded(_ attempt: Attempt) async {
        await attempts.giveBack(attempt.counters[0])
        for pair in attempt.counters.dropFirst() { await attempts.clear(pair) }
    }

    /// Removes an attempt that could not be checked.
    func giveBack(_ attempt: Attempt) async {
        for counter in attempt.counters { await attempts.giveBack(counter) }
    }
}
