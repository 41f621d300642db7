import Foundation
import Synchronization

/// Caches the orders of recently read groups of answers, so that a further page costs no more than the page itself.
///
/// If few of very many submissions answer the question, finding the order of a group takes several steps, each within
/// the time of a request; the cache keeps the steps done so far. It can always be dropped.
final class AnswerOrders: Sendable {
    struct Key: Hashable {
        var formID: UUID
        var question: String
        var group: UInt64
        var bits: UInt8
        var hasSalt: Bool

        /// The first and the last id of the group.
        var ids: (first: UUID, last: UUID) {
            guard bits > 0 else { return (UUID(number: 0), UUID(number: .max)) }
            let shift = UInt128(128 - UInt32(bits))
            let first = UInt128(group) << shift
            return (UUID(number: first), UUID(number: first | ((1 << shift) - 1)))
        }
    }

    struct Entry: Sendable {
        var place: UInt128
        var submissionID: UUID
    }

    struct Order: Sendable {
        /// The revision of the results at which the order was begun: it contains every answer of that revision.
        let revision: Int
        var entries: [Entry] = []
        /// The last submission that was processed.
        var reached: UUID?
        private(set) var isComplete = false
        fileprivate var used = ContinuousClock.now
        fileprivate var progress: UInt128 { reached?.number ?? 0 }

        init(revision: Int) { self.revision = revision }

        mutating func complete() {
            entries.sort { $0.place < $1.place }
            isComplete = true
        }
    }

    /// The maximum number of orders; each has at most about ten thousand entries of 32 bytes.
    private static let capacity = 64
    /// The time after which an unfinished order is begun again.
    private static let patience: Duration = .seconds(30)

    private let kept = Mutex<[Key: [Order]]>([:])

    /// Returns an order for a reader who began at this revision, or begins a new one.
    ///
    /// Prefers the oldest complete order begun no earlier, so that the reader continues in the same one and new answers
    /// do not delay the end; otherwise the one that has progressed furthest.
    ///
    /// - Parameters:
    ///   - start: The revision at which the reader began.
    ///   - revision: The current revision.
    func find(_ key: Key, since start: Int, revision: Int) -> Order {
        let now = ContinuousClock.now
        return kept.withLock { kept in
            let fitting = (kept[key] ?? []).filter {
                $0.revision >= start && ($0.isComplete || now - $0.used < Self.patience)
            }
            let whole = fitting.filter(\.isComplete).min { $0.revision < $1.revision }
            guard var order = whole ?? fitting.max(by: { $0.progress < $1.progress }) else {
                return Order(revision: revision)
            }
            order.used = now
            Self.put(order, for: key, in: &kept)
            return order
        }
    }

    func keep(_ order: Order, for key: Key) {
        kept.withLock { kept in
            Self.put(order, for: key, in: &kept)
            guard kept.values.reduce(0, { $0 + $1.count }) > Self.capacity,
                let oldest = kept.min(by: { $0.value[0].used < $1.value[0].used })?.key
            else { return }
            kept[oldest]?.removeFirst()
            if kept[oldest]?.isEmpty == true { kept[oldest] = nil }
        }
    }

    /// Stores an order as the most recently used one of its group, in place of the one begun at the same revision.
    private static func put(_ order: Order, for key: Key, in kept: inout [Key: [Order]]) {
        kept[key, default: []].removeAll { $0.revision == order.revision }
        kept[key, default: []].append(order)
    }
}

extension [AnswerOrders.Entry] {
    /// Returns the index of the first entry after a position.
    func firstIndex(after place: UInt128?) -> Int {
        guard let place else { return startIndex }
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].place <= place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
