import Foundation
import Testing

@testable import Domain
@testable import Store

@Suite struct LRUCaching {
    @Test func entriesAreLimitedByCount() {
        let cache = LRUCache<Int, String>(capacity: 3, maxBytes: 100)
        for key in 1...3 { cache.insert("\(key)", for: key, bytes: 10) }
        #expect((1...3).map { cache.find($0) } == ["1", "2", "3"] && cache.size == (3, 30))
        cache.insert("new 2", for: 2, bytes: 20)
        #expect(cache.find(2) == "new 2" && cache.find(1) == "1" && cache.size == (3, 40))
        cache.insert("4", for: 4, bytes: 10)
        #expect((1...4).map { cache.find($0) } == ["1", "new 2", nil, "4"] && cache.size == (3, 40))
    }

    @Test func entriesAreLimitedInBytes() {
        let cache = LRUCache<Int, String>(capacity: 1_000, maxBytes: 100)
        for key in 1...50 {
            cache.insert("\(key)", for: key, bytes: 30)
            #expect(cache.find(key) == "\(key)" && cache.size.bytes <= 90)
        }
        cache.insert("large", for: 0, bytes: 101)
        #expect(cache.find(0) == nil && cache.find(50) == "50", "an oversized entry evicts nothing")
        cache.insert("larger", for: 50, bytes: 101)
        #expect(cache.find(50) == nil, "an oversized replacement removes the old entry")
    }

    @Test func leastRecentlyUsedEighthIsEvicted() {
        let cache = LRUCache<Int, Int>(capacity: 80, maxBytes: 1_000)
        for key in 1...80 { cache.insert(key, for: key, bytes: 1) }
        for key in 1...5 { #expect(cache.find(key) == key) }
        cache.insert(81, for: 81, bytes: 1)
        #expect(cache.size.count == 71)
        #expect((1...81).filter { cache.find($0) == nil } == Array(6...15))
        cache.remove(81)
        #expect(cache.find(81) == nil && cache.size == (70, 70))
        cache.insert(0, for: 0, bytes: 900)
        #expect(cache.find(0) == 0 && cache.find(80) == 80 && cache.size.bytes <= 1_000)
    }

    @Test func conditionalInsertDoesNotReplaceANewerEntry() {
        let cache = LRUCache<Int, Int>(capacity: 10, maxBytes: 100)
        cache.insert(2, for: 1, bytes: 1)
        cache.insert(1, for: 1, bytes: 50) { $0 <= 1 }
        #expect(cache.find(1) == 2 && cache.size == (1, 1))
        cache.insert(3, for: 1, bytes: 1) { $0 <= 3 }
        #expect(cache.find(1) == 3)
    }

    @Test func sizeOfFormChangesIncludesTheirTexts() {
        let change = QuestionChange(
            version: 2, at: Date(), key: "pace", option: nil, kind: .described,
            from: String(repeating: "é", count: 5_000),
            to: String(repeating: "x", count: 2_000))
        let changes = FormHistories.Changes(list: [change, change])
        #expect((24_000...26_000).contains(changes.bytes))
    }
}
