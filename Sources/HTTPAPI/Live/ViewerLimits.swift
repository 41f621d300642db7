import Synchronization

/// Limits the streams of one instance. A quarter is reserved for accounts: people with a code or a share can use up the
/// others without locking out a host.
final class ViewerLimits: Sendable {
    /// The permit for one stream; returned when it is freed, also after a HEAD, whose body is never written.
    final class Seat: Sendable {
        private let seats: ViewerLimits
        private let isAccounts: Bool

        fileprivate init(_ seats: ViewerLimits, isAccounts: Bool) {
            self.seats = seats
            self.isAccounts = isAccounts
        }

        deinit {
            seats.used.withLock { used in
                used.all -= 1
                if !isAccounts { used.others -= 1 }
            }
        }
    }

    private let width: Int
    /// The number of streams without an account.
    private let othersWidth: Int
    private let used = Mutex((all: 0, others: 0))

    init(_ width: Int) {
        self.width = width
        othersWidth = width - width / 4
    }

    var taken: Int { used.withLock { $0.all } }

    /// Returns nil if all permits for this kind of viewer are taken.
    func take(for authorization: LiveAuthorization) -> Seat? {
        let isAccounts = if case .account = authorization { true } else { false }
        let isFree = used.withLock { used in
            guard used.all < width, isAccounts || used.others < othersWidth else { return false }
            used.all += 1
            if !isAccounts { used.others += 1 }
            return true
        }
        return isFree ? Seat(self, isAccounts: isAccounts) : nil
    }
}
