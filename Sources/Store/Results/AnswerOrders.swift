import Foundation
import Synchronization

/// The orders of groups of answers that were read last, so that a page after another costs the page alone.
///
/// Of a question that few of very many have answered, a group is found in several steps, each within the time of a
/// request: what was found is kept here until all is. It is a memory of what the database says, and can be lost.
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
        /// Of the results when it was begun: all that was there then is in it.
        let revision: Int
        var entries: [Entry] = []
        /// The last submission that was looked at.
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

    /// Of at most some ten thousand entries of 32 bytes each.
    private static let room = 64
    /// After this what was begun is begun anew.
    private static let patience: Duration = .seconds(30)

    private let kept = Mutex<[Key: [Order]]>([:])

    /// An order for a reader who began at this revision, or the beginning of a new one.
    ///
    /// Of those begun no earlier the oldest whole one, so that a reader goes on in what the reader has begun and answers
    /// that come meanwhile put no end off; else the one that has come furthest.
    ///
    /// - Parameters:
    ///   - start: where the reader began.
    ///   - revision: the one that is read now.
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
            guard kept.values.reduce(0, { $0 + $1.count }) > Self.room,
                let oldest = kept.min(by: { $0.value[0].used < $1.value[0].used })?.key
            else { return }
            kept[oldest]?.removeFirst()
            if kept[oldest]?.isEmpty == true { kept[oldest] = nil }
        }
    }

    /// Behind the others of its group, which stand in the order in which they were used, and in the place of the one
    /// that was begun with it.
    private static func put(_ order: Order, for key: Key, in kept: inout [Key: [Order]]) {
        kept[key, default: []].removeAll { $0.revision == order.revision }
        kept[key, default: []].append(order)
    }
}

extension [AnswerOrders.Entry] {
    /// Where those after a place begin.
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
