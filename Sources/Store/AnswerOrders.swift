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
        /// Of the results when it was begun.
        var revision: Int
        var entries: [Entry] = []
        /// The last submission that was looked at.
        var reached: UUID?
        private(set) var isComplete = false
        fileprivate var used = ContinuousClock.now

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

    private let kept = Mutex<[Key: Order]>([:])

    /// A whole order of this revision, or one that was begun a moment ago, or a new one.
    func find(_ key: Key, revision: Int) -> Order {
        let now = ContinuousClock.now
        let known = kept.withLock { $0[key] }
        guard var known, known.isComplete ? known.revision == revision : now - known.used < Self.patience else {
            return Order(revision: revision)
        }
        known.used = now
        return known
    }

    func keep(_ order: Order, for key: Key) {
        kept.withLock { kept in
            if kept[key] == nil, kept.count >= Self.room, let oldest = kept.min(by: { $0.value.used < $1.value.used }) {
                kept[oldest.key] = nil
            }
            kept[key] = order
        }
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
