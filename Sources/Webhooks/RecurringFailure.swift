import Synchronization

/// Something that fails again and again: said once, however often it is tried.
final class RecurringFailure: Sendable {
    private let lasts = Mutex(false)

    /// True for the first failure after it went well.
    func begins() -> Bool {
        lasts.withLock { lasts in
            defer { lasts = true }
            return !lasts
        }
    }

    func ends() { lasts.withLock { $0 = false } }
}
