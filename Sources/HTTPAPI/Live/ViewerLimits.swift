import Synchronization

/// Limits the open streams of one instance. A quarter of them is reserved for accounts, so that people with a code or a
/// share cannot lock out a host.
final class ViewerLimits: Sendable {
    /// The permit for one stream. It is returned when this object is freed, also after a HEAD request, whose body is
    /// never written.
    final class Permit: Sendable {
        private let limits: ViewerLimits
        private let hasAccount: Bool

        fileprivate init(_ limits: ViewerLimits, hasAccount: Bool) {
            self.limits = limits
            self.hasAccount = hasAccount
        }

        deinit {
            limits.used.withLock { used in
                used.all -= 1
                if !hasAccount { used.withoutAccount -= 1 }
            }
        }
    }

    private let limit: Int
    /// The largest number of streams of viewers without an account.
    private let limitWithoutAccount: Int
    private let used = Mutex((all: 0, withoutAccount: 0))

    init(_ limit: Int) {
        self.limit = limit
        limitWithoutAccount = limit - limit / 4
    }

    /// The number of permits that are taken.
    var taken: Int { used.withLock { $0.all } }

    /// Returns nil if all permits for this kind of viewer are taken.
    func take(for authorization: LiveAuthorization) -> Permit? {
        let hasAccount = if case .account = authorization { true } else { false }
        let isFree = used.withLock { used in
            guard used.all < limit, hasAccount || used.withoutAccount < limitWithoutAccount else { return false }
            used.all += 1
            if !hasAccount { used.withoutAccount += 1 }
            return true
        }
        return isFree ? Permit(self, hasAccount: hasAccount) : nil
    }
}
