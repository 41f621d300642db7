import Domain

/// The lockout of those who guess passwords. It counts by account and where the guesses come from, so that nobody can
/// lock an owner out who comes from elsewhere; accounts that do not exist count alike.
struct SignInLimits: Sendable {
    private struct Pair: Hashable, Sendable {
        var account: EmailAddress
        var client: ClientAddress
    }

    private let pairs = SlidingLimit<Pair>(10, per: .seconds(900))
    private let clients = SlidingLimit<ClientAddress>(100, per: .seconds(900))

    /// Counts a try before it is judged, so that many at once are not all let through; 429 past the limit.
    ///
    /// - Parameter account: nil for an address that is none.
    func begin(_ account: EmailAddress?, from client: ClientAddress) throws(Problem) {
        try clients.take(client)
        guard let account else { return }
        do {
            try pairs.take(Pair(account: account, client: client))
        } catch {
            // It was not judged, and so did not fail.
            clients.giveBack(client)
            throw error
        }
    }

    /// Whether no try is left, for the account from there and for all accounts from there.
    func isUsedUp(_ account: EmailAddress, from client: ClientAddress) -> (pair: Bool, client: Bool) {
        (pairs.wait(for: Pair(account: account, client: client)) != nil, clients.wait(for: client) != nil)
    }

    func succeeded(_ account: EmailAddress, from client: ClientAddress) {
        clients.giveBack(client)
        pairs.clear(Pair(account: account, client: client))
    }

    /// The try could not be judged.
    func takeBack(_ account: EmailAddress, from client: ClientAddress) {
        clients.giveBack(client)
        pairs.giveBack(Pair(account: account, client: client))
    }
}
