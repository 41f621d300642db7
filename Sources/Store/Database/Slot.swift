import Domain
import Synchronization

/// The right to one of a few heavy readings; given back when it is freed, also by an export that nobody ever read.
public final class Slot: Sendable {
    private let slots: Slots

    fileprivate init(_ slots: Slots) { self.slots = slots }

    deinit { slots.giveBack() }
}

/// So many heavy readings at once.
final class Slots: Sendable {
    private let free: Mutex<Int>

    init(_ width: Int) { free = Mutex(max(1, width)) }

    /// Nil when all are taken.
    func take() -> Slot? {
        let isFree = free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
        return isFree ? Slot(self) : nil
    }

    /// The same when one becomes free in time; 503 with this reason if none does.
    func take(within patience: Duration, else reason: String, retryAfter: Int) async throws -> Slot {
        let deadline = ContinuousClock.now + patience
        while true {
            if let slot = take() { return slot }
            guard .now < deadline else { throw Problem(.overloaded, reason, retryAfter: retryAfter) }
            // Asked again rather than queued: readings are short, and nobody minds who comes first.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    fileprivate func giveBack() { free.withLock { $0 += 1 } }
}
