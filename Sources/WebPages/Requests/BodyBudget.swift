import Synchronization

/// Limits the memory of all request bodies that pages hold at once, so that many large forms from clients without an
/// account cannot use it up.
final class BodyBudget: Sendable {
    /// Bytes that one request holds; given back when it ends.
    final class Share: Sendable {
        private let budget: BodyBudget
        private let count = Mutex(0)

        init(of budget: BodyBudget) { self.budget = budget }

        deinit { budget.giveBack(count.withLock(\.self)) }

        /// Adds bytes. Returns false if they exceed the budget.
        func take(_ bytes: Int) -> Bool {
            guard budget.take(bytes) else { return false }
            count.withLock { $0 += bytes }
            return true
        }
    }

    private let limit: Int
    private let held = Mutex(0)

    /// - Parameter limit: In bytes. Parsed fields take a few times as much.
    init(limit: Int = 64 << 20) { self.limit = limit }

    private func take(_ bytes: Int) -> Bool {
        held.withLock { held in
            guard held + bytes <= limit else { return false }
            held += bytes
            return true
        }
    }

    private func giveBack(_ bytes: Int) { held.withLock { $0 -= bytes } }
}
