import Synchronization

/// How many streams one instance keeps open at most.
final class LiveSeats: Sendable {
    /// The right to one stream; given back when it is freed, also by a HEAD, whose body nobody writes.
    final class Seat: Sendable {
        private let seats: LiveSeats

        fileprivate init(_ seats: LiveSeats) { self.seats = seats }

        deinit { seats.used.withLock { $0 -= 1 } }
    }

    private let width: Int
    private let used = Mutex(0)

    init(_ width: Int) { self.width = width }

    var taken: Int { used.withLock { $0 } }

    /// Nil when all are taken.
    func take() -> Seat? {
        let isFree = used.withLock { used in
            guard used < width else { return false }
            used += 1
            return true
        }
        return isFree ? Seat(self) : nil
    }
}
