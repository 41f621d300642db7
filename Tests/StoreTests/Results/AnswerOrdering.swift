import Foundation
import Testing

@testable import Store

/// The cached orders of groups of answers, for readers who continue page by page while others write.
@Suite struct AnswerOrdering {
    private static let key = ShuffledOrderCache.Key(formID: UUID(), question: "q", group: 0, bits: 0, hasSalt: true)

    /// An order with this number of answers.
    private static func order(_ revision: Int, answers: Int, isComplete: Bool = true) -> ShuffledOrderCache.Order {
        var order = ShuffledOrderCache.Order(revision: revision)
        for number in 0..<answers {
            let id = UUID(number: UInt128(number + 1))
            order.entries.append(ShuffledOrderCache.Entry(position: UInt128(1_000 - number), submissionID: id))
            order.lastProcessedID = id
        }
        if isComplete { order.complete() }
        return order
    }

    @Test func readerContinuesItsOrderAndALaterReaderGetsANewOne() {
        let orders = ShuffledOrderCache()
        orders.store(Self.order(5, answers: 3), for: Self.key)
        let early = orders.find(Self.key, since: 5, revision: 9)
        #expect(early.isComplete && early.revision == 5 && early.entries.map(\.position) == [998, 999, 1_000])
        #expect(orders.find(Self.key, since: 4, revision: 9).revision == 5)
        let late = orders.find(Self.key, since: 6, revision: 9)
        #expect(!late.isComplete && late.revision == 9 && late.entries.isEmpty)
        // The later order does not change the earlier one.
        orders.store(Self.order(9, answers: 8), for: Self.key)
        #expect(orders.find(Self.key, since: 5, revision: 9).entries.count == 3)
        #expect(orders.find(Self.key, since: 6, revision: 9).entries.count == 8)
        #expect(orders.find(Self.key, since: 10, revision: 10).entries.isEmpty)
    }

    @Test func readersContinueTheOrderThatOthersStarted() {
        let orders = ShuffledOrderCache()
        orders.store(Self.order(5, answers: 2, isComplete: false), for: Self.key)
        orders.store(Self.order(7, answers: 4, isComplete: false), for: Self.key)
        #expect(orders.find(Self.key, since: 5, revision: 9).revision == 7, "the order that has progressed further")
        #expect(orders.find(Self.key, since: 8, revision: 9).entries.isEmpty)
        orders.store(Self.order(5, answers: 3), for: Self.key)
        #expect(orders.find(Self.key, since: 5, revision: 9).revision == 5, "the complete order")
    }

    @Test func leastRecentlyUsedOrdersBeyondSixtyFourAreEvicted() {
        let orders = ShuffledOrderCache()
        for revision in 1...64 { orders.store(Self.order(revision, answers: 1), for: Self.key) }
        #expect(orders.find(Self.key, since: 1, revision: 99).revision == 1)
        var other = Self.key
        other.group = 1
        orders.store(Self.order(1, answers: 1), for: other)
        // The second order was the least recently used.
        #expect(orders.find(Self.key, since: 1, revision: 99).revision == 1)
        #expect(orders.find(Self.key, since: 2, revision: 99).revision == 3)
        #expect(orders.find(other, since: 1, revision: 99).isComplete)
    }
}
