import Synchronization

/// Tracks a recurring failure, so that it is logged once and not on every retry.
final class RecurringFailure: Sendable {
    private let isOngoing = Mutex(false)

    /// Returns true for the first failure after a success.
    func begins() -> Bool {
        isOngoing.withLock { isOngoing in
            defer { isOngoing = true }
            return !isOngoing
        }
    }

    func ends() { isOngoing.withLock { $0 = false } }
}
