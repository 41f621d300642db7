import Synchronization

/// Tracks a recurring failure, so that it is logged once and not on every retry.
final class RecurringFailure: Sendable {
    private let lasts = Mutex(false)

    /// Returns true for the first failure after a success.
    func begins() -> Bool {
        lasts.withLock { lasts in
            defer { lasts = true }
            return !lasts
        }
    }

    func ends() { lasts.withLock { $0 = false } }
}
