import HTTPServer
import Synchronization

/// Limits the open streams of one instance. A quarter of them is reserved for accounts, so that people with a code or a
/// share cannot lock out a host.
///
/// One client address may have only a part of them, so that one machine cannot lock out the others. Accounts at that
/// address may have a quarter more, so that the participants in a hall cannot lock out a host at the same address.
final class ViewerLimits: Sendable {
    /// The permit for one stream. It is returned when this object is freed, even after a HEAD request, whose body is
    /// never written.
    final class Permit: Sendable {
        private let limits: ViewerLimits
        private let hasAccount: Bool
        private let address: ClientAddress

        fileprivate init(_ limits: ViewerLimits, hasAccount: Bool, address: ClientAddress) {
            self.limits = limits
            self.hasAccount = hasAccount
            self.address = address
        }

        deinit { limits.giveBack(hasAccount: hasAccount, address) }
    }

    /// Why there is no permit.
    enum Refusal: Error {
        /// All permits for this kind of viewer are taken.
        case allTaken
        /// The client address has its maximum.
        case tooManyOfAddress
    }

    private struct Used {
        var total = 0
        var withoutAccount = 0
        /// Counted only if the streams of one address are limited.
        var byAddress: [ClientAddress: Int] = [:]
    }

    private let limit: Int
    /// The largest number of streams of viewers without an account.
    private let limitWithoutAccount: Int
    private let limitPerAddress: Int?
    private let used = Mutex(Used())

    /// - Parameter perAddress: The largest number of streams of one client address, without those reserved for
    ///   accounts; nil for any number.
    init(_ limit: Int, perAddress: Int? = nil) {
        self.limit = limit
        limitWithoutAccount = limit - limit / 4
        limitPerAddress = perAddress
    }

    /// The number of permits that are taken.
    var taken: Int { used.withLock { $0.total } }

    func take(for authorization: LiveAuthorization, from address: ClientAddress) throws(Refusal) -> Permit {
        let hasAccount = if case .account = authorization { true } else { false }
        let refusal: Refusal? = used.withLock { used in
            guard used.total < limit, hasAccount || used.withoutAccount < limitWithoutAccount else { return .allTaken }
            if let limitPerAddress {
                let count = used.byAddress[address, default: 0]
                let reserve = hasAccount ? max(1, limitPerAddress / 4) : 0
                guard count < limitPerAddress + reserve else { return .tooManyOfAddress }
                used.byAddress[address] = count + 1
            }
            used.total += 1
            if !hasAccount { used.withoutAccount += 1 }
            return nil
        }
        if let refusal { throw refusal }
        return Permit(self, hasAccount: hasAccount, address: address)
    }

    private func giveBack(hasAccount: Bool, _ address: ClientAddress) {
        used.withLock { used in
            used.total -= 1
            if !hasAccount { used.withoutAccount -= 1 }
            // An address without streams has no entry, so that it occupies no memory.
            if let count = used.byAddress[address] { used.byAddress[address] = count > 1 ? count - 1 : nil }
        }
    }
}
