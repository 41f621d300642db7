import Foundation
import Synchronization

/// Caches the shuffled orders of groups of answers, so that reading the next page of a group does not compute the order
/// of the whole group again.
///
/// If only a few of very many submissions answer the question, computing the order of a group takes several steps,
/// because each step must end within the time limit of a request. The cache stores unfinished orders too, so that the
/// next request continues where the last one ended. Any order can be evicted and is then computed again.
final class ShuffledOrderCache: Sendable {
    /// Identifies a group: the submissions whose ids have the same first `bits` bits.
    struct Key: Hashable {
        var formID: UUID
        var question: String
        /// The value of the first `bits` bits, which is also the number of the group.
        var group: UInt64
        var bits: UInt8
        /// Whether the form still has its salt. When the salt is deleted, submissions get new ids, and orders change.
        var hasSalt: Bool

        /// The first and the last id of the group.
        var ids: (first: UUID, last: UUID) {
            guard bits > 0 else { return (UUID(number: 0), UUID(number: .max)) }
            let shift = UInt128(128 - UInt32(bits))
            let first = UInt128(group) << shift
            return (UUID(number: first), UUID(number: first | ((1 << shift) - 1)))
        }
    }

    /// A submission that answers the question, with the position of its answer.
    struct Entry: Sendable {
        var position: UInt128
        var submissionID: UUID
    }

    struct Order: Sendable {
        /// The revision of the results when the order was started. Once complete, the order contains all answers of
        /// that revision.
        let revision: Int
        /// The entries found so far; sorted by position once the order is complete.
        var entries: [Entry] = []
        /// The last submission that was processed.
        var lastProcessedID: UUID?
        private(set) var isComplete = false
        fileprivate var lastUsed = ContinuousClock.now
        fileprivate var progress: UInt128 { lastProcessedID?.number ?? 0 }

        init(revision: Int) { self.revision = revision }

        mutating func complete() {
            entries.sort { $0.position < $1.position }
            isComplete = true
        }
    }

    /// The maximum number of orders. Each has at most about ten thousand entries of 32 bytes.
    private static let capacity = 64
    /// How long after its last use an unfinished order can still be continued.
    private static let unfinishedLifetime: Duration = .seconds(30)

    /// The orders of each group, the least recently used first.
    private let orders = Mutex<[Key: [Order]]>([:])

    /// Returns a cached order of the group for a reader who started at the revision `start`, or starts a new order.
    ///
    /// Only orders that were started at this revision or later contain all answers that the reader must get. Of these,
    /// the oldest complete one is returned, so that the reader gets the same order for each page, and new answers do
    /// not make the list longer. If none is complete, the one that has progressed furthest is returned.
    ///
    /// - Parameters:
    ///   - start: The revision at which the reader started.
    ///   - revision: The current revision.
    func find(_ key: Key, since start: Int, revision: Int) -> Order {
        let now = ContinuousClock.now
        return orders.withLock { orders in
            let candidates = (orders[key] ?? []).filter {
                $0.revision >= start && ($0.isComplete || now - $0.lastUsed < Self.unfinishedLifetime)
            }
            let complete = candidates.filter(\.isComplete).min { $0.revision < $1.revision }
            guard var order = complete ?? candidates.max(by: { $0.progress < $1.progress }) else {
                return Order(revision: revision)
            }
            order.lastUsed = now
            Self.insert(order, for: key, in: &orders)
            return order
        }
    }

    /// Stores an order, and evicts the least recently used one if the cache is full.
    func store(_ order: Order, for key: Key) {
        orders.withLock { orders in
            Self.insert(order, for: key, in: &orders)
            guard orders.values.reduce(0, { $0 + $1.count }) > Self.capacity,
                let oldest = orders.min(by: { $0.value[0].lastUsed < $1.value[0].lastUsed })?.key
            else { return }
            orders[oldest]?.removeFirst()
            if orders[oldest]?.isEmpty == true { orders[oldest] = nil }
        }
    }

    /// Inserts an order as the most recently used one of its group. Replaces the order with the same revision.
    private static func insert(_ order: Order, for key: Key, in orders: inout [Key: [Order]]) {
        orders[key, default: []].removeAll { $0.revision == order.revision }
        orders[key, default: []].append(order)
    }
}

extension [ShuffledOrderCache.Entry] {
    /// Returns the index of the first entry after a position, or the start index if the position is nil.
    func firstIndex(after position: UInt128?) -> Int {
        guard let position else { return startIndex }
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
