import Domain
import Foundation
import HTTPServer

/// Locks out clients that guess passwords. It counts by account and client address, so that nobody can lock out an
/// owner who signs in from elsewhere; accounts that do not exist count in the same way.
///
/// For that reason there is no limit per account over all addresses. Very many failures of one account are only noted.
struct SignInLimits: Sendable {
    private struct Pair: Hashable, Sendable {
        var account: EmailAddress
        var client: ClientAddress
    }

    private let pairs = SlidingLimit<Pair>(10, per: .seconds(900))
    private let clients = SlidingLimit<ClientAddress>(100, per: .seconds(900))
    /// The failures of each account from all addresses. The capacity limits the memory, because each key may store as
    /// many times as its limit.
    private let accounts: SlidingLimit<UUID>

    /// - Parameter failuresOfAccount: The failures of one account within an hour that are not worth a note.
    init(failuresOfAccount: Int = 1_000) {
        accounts = SlidingLimit(failuresOfAccount, per: .seconds(3600), capacity: 1_000)
    }

    /// Counts an attempt before it is checked, so that concurrent attempts cannot exceed the limit; throws 429 past it.
    ///
    /// - Parameter account: Nil for an address without an account.
    func begin(_ account: EmailAddress?, from client: ClientAddress) throws(Problem) {
        try clients.take(client)
        guard let account else { return }
        do {
            try pairs.take(Pair(account: account, client: client))
        } catch {
            // The attempt was not checked, so it did not fail.
            clients.giveBack(client)
            throw error
        }
    }

    /// Whether the attempts are used up, for this account from this client and for all accounts from this client.
    func isUsedUp(_ account: EmailAddress?, from client: ClientAddress) -> (pair: Bool, client: Bool) {
        let pair = account.map { Pair(account: $0, client: client) }
        return (pair.map { pairs.wait(for: $0) != nil } ?? false, clients.wait(for: client) != nil)
    }

    /// Counts a failure of an existing account. Returns whether the account had too many within an hour, from whatever
    /// addresses. Nothing is refused then.
    func isAttacked(afterFailureOf account: UUID) -> Bool { !accounts.tryTake(account) }

    /// Records that an attempt succeeded.
    func succeeded(_ account: EmailAddress, from client: ClientAddress) {
        clients.giveBack(client)
        pairs.clear(Pair(account: account, client: client))
    }

    /// Removes an attempt that could not be checked.
    func giveBack(_ account: EmailAddress, from client: ClientAddress) {
        clients.giveBack(client)
        pairs.giveBack(Pair(account: account, client: client))
    }
}
