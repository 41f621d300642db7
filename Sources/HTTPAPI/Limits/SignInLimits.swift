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

    /// Counts a try before it is checked, so that concurrent tries cannot exceed the limit; throws 429 past it.
    ///
    /// - Parameter account: Nil for an address without an account.
    func begin(_ account: EmailAddress?, from client: ClientAddress) throws(Problem) {
        try clients.take(client)
        guard let account else { return }
        do {
            try pairs.take(Pair(account: account, client: client))
        } catch {
            // The try was not checked, so it did not fail.
            clients.giveBack(client)
            throw error
        }
    }

    /// Whether no try is left, for the account from this address or for all accounts from it.
    func isUsedUp(_ account: EmailAddress, from client: ClientAddress) -> (pair: Bool, client: Bool) {
        (pairs.wait(for: Pair(account: account, client: client)) != nil, clients.wait(for: client) != nil)
    }

    func succeeded(_ account: EmailAddress, from client: ClientAddress) {
        clients.giveBack(client)
        pairs.clear(Pair(account: account, client: client))
    }

    /// Removes a try that could not be checked.
    func takeBack(_ account: EmailAddress, from client: ClientAddress) {
        clients.giveBack(client)
        pairs.giveBack(Pair(account: account, client: client))
    }
}
