import Synchronization

/// How many streams one instance keeps open at most. A quarter is kept for accounts: whoever has a code or a share can
/// take the others, and keep no host out.
final class ViewerLimits: Sendable {
    /// The right to one stream; given back when it is freed, also by a HEAD, whose body nobody writes.
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
    /// Of those without an account.
    private let othersWidth: Int
    private let used = Mutex((all: 0, others: 0))

    init(_ width: Int) {
        self.width = width
        othersWidth = width - width / 4
    }

    var taken: Int { used.withLock { $0.all } }

    /// Nil when all that are meant for them are taken.
    func take(for ground: LiveAuthorization) -> Seat? {
        let isAccounts = if case .account = ground { true } else { false }
        let isFree = used.withLock { used in
            guard used.all < width, isAccounts || used.others < othersWidth else { return false }
            used.all += 1
            if !isAccounts { used.others += 1 }
            return true
        }
        return isFree ? Seat(self, isAccounts: isAccounts) : nil
    }
}
