import Synchronization

/// Limits the memory that the bodies of all requests, or all responses, occupy together, so that many large or slow
/// ones cannot use up the machine's memory.
public final class MemoryBudget: Sendable {
    /// There is no room for further bytes.
    public struct Exceeded: Error {}

    /// The bytes that each request or response may hold even without room in the budget, so that large ones of some
    /// clients never delay small ones of others. The limit of connections bounds their sum.
    public static let freeBytesPerShare = 8 * 1024

    /// The bytes that one request or response holds; given back when it ends.
    public final class Share: Sendable {
        private let budget: MemoryBudget
        private let address: ClientAddress?
        private let count = Mutex(0)

        /// - Parameter address: The client's address. If nil, only the limit of all clients applies.
        public init(of budget: MemoryBudget, from address: ClientAddress? = nil) {
            (self.budget, self.address) = (budget, address)
        }

        deinit { budget.giveBack(max(0, count.withLock(\.self) - MemoryBudget.freeBytesPerShare), address) }

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
            budget.take(
                max(0, total - MemoryBudget.freeBytesPerShare) - max(0, count - MemoryBudget.freeBytesPerShare), address
            )
        }
    }

    private struct Held {
        var total = 0
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
            guard held.total + bytes <= limit else { return false }
            if let address {
                let addressBytes = held.ofAddress[address, default: 0] + bytes
                guard addressBytes <= limit / 4 * 3 else { return false }
                held.ofAddress[address] = addressBytes
            }
            held.total += bytes
            return true
        }
    }

    private func giveBack(_ bytes: Int, _ address: ClientAddress?) {
        guard bytes > 0 else { return }
        held.withLock { held in
            held.total -= bytes
            guard let address else { return }
            let remaining = held.ofAddress[address, default: 0] - bytes
            held.ofAddress[address] = remaining > 0 ? remaining : nil
        }
    }
}
