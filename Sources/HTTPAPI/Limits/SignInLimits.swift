import Domain
import Foundation
import HTTPServer
import Store

/// Locks out clients that guess passwords. It counts by account and client address, so that nobody can lock out an
/// owner who signs in from elsewhere; accounts that do not exist count in the same way.
///
/// For that reason there is no limit per account over all addresses. Very many failures of one account are only noted.
struct SignInLimits: Sendable {
    /// An attempt that was counted or refused.
    struct Attempt: Sendable {
        fileprivate let counters: [Attempts.Counter]
        fileprivate let counts: [Attempts.Count]

        /// The seconds to wait; nil if the attempt is allowed.
        var wait: Int? { counts.wait }
        /// Whether no further attempt is allowed, for all accounts from this client.
        var usesUpClient: Bool { counts[0].isUsedUp }
        /// Whether no further attempt is allowed, for this account from this client.
        var usesUpPair: Bool { counts.count > 1 && counts[1].isUsedUp }
    }

    private static let pairs = Attempts.Limit("sign-ins", 10, per: 900)
    private static let clients = Attempts.Limit("sign-ins-of-address", 100, per: 900)

    private let attempts: Attempts
    /// The failures of each account from all addresses, on this instance. The capacity limits the memory, because each
    /// key may store as many times as its limit.
    private let accounts: SlidingLimit<UUID>

    /// - Parameter failuresOfAccount: The failures of one account within an hour that are not worth a note.
    init(attempts: Attempts, failuresOfAccount: Int = 1_000) {
        self.attempts = attempts
        accounts = SlidingLimit(failuresOfAccount, per: .seconds(3600), capacity: 1_000)
    }

    /// Counts an attempt before it is checked, so that concurrent attempts cannot exceed the limit.
    ///
    /// - Parameter account: Nil for an address without an account.
    func begin(_ account: EmailAddress?, from client: ClientAddress) async throws -> Attempt {
        var counters = [Self.clients.counter(client.text)]
        if let account { counters.append(Self.pairs.counter("\(account.normalised)\n\(client.text)")) }
        return Attempt(counters: counters, counts: try await attempts.take(counters))
    }

    /// Counts a failure of an existing account. Returns whether the account had too many within an hour, from whatever
    /// addresses. Nothing is refused then.
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
