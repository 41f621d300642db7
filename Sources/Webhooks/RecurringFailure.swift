import Synchronization

/// Tracks a failure that recurs, so that it is logged once however often it is retried.
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
