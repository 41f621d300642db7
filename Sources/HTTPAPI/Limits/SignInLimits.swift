import Domain
import HTTPServer

/// Locks out clients that guess passwords. It counts by account and client address, so that nobody can lock out an
/// owner who signs in from elsewhere; accounts that do not exist count in the same way.
struct SignInLimits: Sendable {
    private struct Pair: Hashable, Sendable {
        var account: EmailAddress
        var client: ClientAddress
    }

    private let pairs = SlidingLimit<Pair>(10, per: .seconds(900))
    private let clients = SlidingLimit<ClientAddress>(100, per: .seconds(900))

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
    func isUsedUp(_ account: EmailAddress, from client: ClientAddress) -> (pair: Bool, client: Bool) {
        (pairs.wait(for: Pair(account: account, client: client)) != nil, clients.wait(for: client) != nil)
    }

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
