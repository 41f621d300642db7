import Synchronization

/// Limits the memory of all request bodies that are held at once, so that many large or slow ones cannot use it up.
public final class BodyBudget: Sendable {
    /// Bytes that one request holds; given back when it ends.
    public final class Share: Sendable {
        private let budget: BodyBudget
        private let count = Mutex(0)

        public init(of budget: BodyBudget) { self.budget = budget }

        deinit { budget.giveBack(count.withLock(\.self)) }

        /// Adds bytes. Returns false if they exceed the budget.
        public func take(_ bytes: Int) -> Bool {
            guard budget.take(bytes) else { return false }
            count.withLock { $0 += bytes }
            return true
        }
    }

    private let limit: Int
    private let held = Mutex(0)

    /// - Parameter limit: In bytes. What is parsed from them takes a few times as much.
    public init(limit: Int = 64 << 20) { self.limit = limit }

    private func take(_ bytes: Int) -> Bool {
        held.withLock { held in
            guard held + bytes <= limit else { return false }
            held += bytes
            return true
        }
    }

    private func giveBack(_ bytes: Int) { held.withLock { $0 -= bytes } }
}
