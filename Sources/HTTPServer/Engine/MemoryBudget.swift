import Synchronization

/// Limits the memory that the bodies of all requests, or all responses, take at once, so that many large or slow ones
/// cannot use it up.
public final class MemoryBudget: Sendable {
    /// There is no room for further bytes.
    public struct Exceeded: Error {}

    /// The bytes that each request or response may hold even without room in the budget, so that large ones of some
    /// clients never delay small ones of others. The limit of connections limits their sum.
    public static let free = 8 * 1024

    /// Bytes that one request or response holds; given back when it ends.
    public final class Share: Sendable {
        private let budget: MemoryBudget
        private let address: ClientAddress?
        private let count = Mutex(0)

        /// - Parameter address: The client's. If nil, only the limit of all clients applies.
        public init(of budget: MemoryBudget, from address: ClientAddress? = nil) {
            (self.budget, self.address) = (budget, address)
        }

        deinit { budget.giveBack(max(0, count.withLock(\.self) - MemoryBudget.free), address) }

        /// Adds bytes. Returns false if they exceed the budget.
        public func take(_ bytes: Int) -> Bool {
            count.withLock { count in
                guard grow(from: count, to: count + bytes) else { return false }
                count += bytes
                return true
            }
        }

        /// Adds bytes until there are at least `total`. Returns false if they exceed the budget.
        public func take(upTo total: Int) -> Bool {
            count.withLock { count in
                guard total > count else { return true }
                guard grow(from: count, to: total) else { return false }
                count = total
                return true
            }
        }

        private func grow(from count: Int, to total: Int) -> Bool {
            budget.take(max(0, total - MemoryBudget.free) - max(0, count - MemoryBudget.free), address)
        }
    }

    private struct Held {
        var all = 0
        /// The bytes of each address that holds any.
        var ofAddress: [ClientAddress: Int] = [:]
    }

    private let limit: Int
    private let held = Mutex(Held())

    /// - Parameter limit: In bytes. One address may hold at most three quarters of it.
    public init(limit: Int) { self.limit = limit }

    private func take(_ bytes: Int, _ address: ClientAddress?) -> Bool {
        guard bytes > 0 else { return true }
        return held.withLock { held in
            guard held.all + bytes <= limit else { return false }
            if let address {
                let own = held.ofAddress[address, default: 0] + bytes
                guard own <= limit / 4 * 3 else { return false }
                held.ofAddress[address] = own
            }
            held.all += bytes
            return true
        }
    }

    private func giveBack(_ bytes: Int, _ address: ClientAddress?) {
        guard bytes > 0 else { return }
        held.withLock { held in
            held.all -= bytes
            guard let address else { return }
            let own = held.ofAddress[address, default: 0] - bytes
            held.ofAddress[address] = own > 0 ? own : nil
        }
    }
}
